#include "far_socket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RECEIVE_BYTES (8 << 20) /* what a process without rights could not ask for: some 5,000 packets while it does not run */

/* The kernel asks nobody who binds such a socket to another interface, or sends by one: whatever its holder and those of others do,
 * it hears what came to its own far end, and not from another passed socket. */
static int hear_only(int opened, uint32_t port)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_IFINDEX)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_MARK)),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, SRV6_MARK_MASK),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SRV6_MARK, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog filter = {.len = sizeof(code) / sizeof(code[0]), .filter = code};
	const int yes = 1;

	if (setsockopt(opened, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)) < 0)
		return -1;
	return setsockopt(opened, SOL_SOCKET, SO_LOCK_FILTER, &yes, sizeof(yes));
}

int far_socket(const struct pair *pair, struct error *err)
{
	const struct sockaddr_ll far = {
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL), .sll_ifindex = (int)pair->far};
	const uint32_t mark = SRV6_MARK_OF(pair->near);
	const int yes = 1, bytes = RECEIVE_BYTES;
	int opened = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0); /* of no protocol: it hears nothing until it is bound */

	if (opened >= 0 && setsockopt(opened, SOL_PACKET, PACKET_IGNORE_OUTGOING, &yes, sizeof(yes)) == 0 &&
		setsockopt(opened, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) == 0 &&
		setsockopt(opened, SOL_SOCKET, SO_MARK, &mark, sizeof(mark)) == 0 && hear_only(opened, pair->far) == 0 &&
		bind(opened, (const struct sockaddr *)&far, sizeof(far)) == 0)
		return opened;
	(void)fail(err, E_KERNEL, "", "no packet socket for the far end of %s: %s", pair->link, strerror(errno));
	if (opened >= 0)
		(void)close(opened);
	return -1;
}
