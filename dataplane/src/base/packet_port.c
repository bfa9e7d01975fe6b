#include "base/packet_port.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#define SEND_WAIT_MS 1000 /* after this the other end counts as stuck, and what is left of the burst is dropped */
#define RECEIVE_BYTES (4 << 20)
#define CHOSEN_BYTES (1 << 20) /* so much and more was chosen by whoever opened the socket */
#define FAILED_PAUSE_US 10000 /* the interface is down: an error comes at once, again and again */

static int read_number(int fd, int option)
{
	int value = -1;
	socklen_t bytes = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, option, &value, &bytes) < 0 ? -1 : value;
}

/* In the namespace of the socket, whichever this process is in. */
static int read_mtu(int fd, int index)
{
	struct ifreq request = {.ifr_ifindex = index};

	if (ioctl(fd, SIOCGIFNAME, &request) < 0 || ioctl(fd, SIOCGIFMTU, &request) < 0)
		return -1;
	return request.ifr_mtu;
}

int packet_port_open(struct packet_port *port, int fd, struct error *err)
{
	struct sockaddr_ll bound = {0};
	socklen_t bytes = sizeof(bound);
	int one = 1, most = RECEIVE_BYTES, mtu;

	if (read_number(fd, SO_DOMAIN) != AF_PACKET || read_number(fd, SO_TYPE) != SOCK_RAW)
		return fail(err, E_BAD_REQUEST, "--fd", "descriptor %d is no AF_PACKET socket of type SOCK_RAW", fd);
	if (getsockname(fd, (struct sockaddr *)&bound, &bytes) < 0 || bound.sll_ifindex <= 0)
		return fail(err, E_BAD_REQUEST, "--fd", "the socket is not bound to an interface");
	mtu = read_mtu(fd, bound.sll_ifindex);
	if (mtu <= 0)
		return fail(err, E_START_FAILED, "--fd", "interface %d has no MTU (%s)", bound.sll_ifindex, strerror(errno));
	/* What the kernel itself sends at the interface does not arrive there. */
	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) < 0)
		return fail(err, E_START_FAILED, "--fd", "the socket cannot leave out what is sent (%s)", strerror(errno));
	/* Without a privilege as far as the host allows. */
	if (read_number(fd, SO_RCVBUF) < CHOSEN_BYTES)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &most, sizeof(most));
	*port = (struct packet_port){.fd = fd, .mtu = (uint32_t)mtu};
	return 0;
}

/* Blocks in the call itself: one call a burst less than to poll before each. */
uint32_t packet_port_receive(const struct packet_port *port, struct mmsghdr *messages, uint32_t count)
{
	struct pollfd polled = {.fd = port->fd, .events = POLLIN};
	int got = recvmmsg(port->fd, messages, count, MSG_WAITFORONE | MSG_TRUNC, NULL);

	if (got > 0)
		return (uint32_t)got;
	if (errno == EAGAIN)
		(void)poll(&polled, 1, -1); /* whoever opened the socket made it non-blocking */
	else if (errno != EINTR)
		(void)usleep(FAILED_PAUSE_US);
	return 0;
}

/* Whether there is space again. */
static bool wait_space(const struct packet_port *port)
{
	struct pollfd polled = {.fd = port->fd, .events = POLLOUT};

	return poll(&polled, 1, SEND_WAIT_MS) > 0 && (polled.revents & POLLOUT) != 0;
}

/* Written, not sent as messages: these could name another interface, so that whoever works on packets may send none (confined.h). */
uint32_t packet_port_send(const struct packet_port *port, struct mmsghdr *messages, uint32_t count)
{
	uint32_t at = 0, failed = 0;

	while (at < count) {
		const struct msghdr *frame = &messages[at].msg_hdr;
		ssize_t sent = pwritev2(port->fd, frame->msg_iov, (int)frame->msg_iovlen, -1, RWF_NOWAIT);

		messages[at].msg_len = sent > 0 ? (unsigned int)sent : 0;
		if (sent < 0 && errno == EINTR)
			continue;
		if (sent < 0 && errno == EAGAIN && wait_space(port))
			continue;
		if (sent < 0 && errno == EAGAIN)
			return at - failed;
		at++;
		failed += sent < 0; /* this one the kernel refused: too long for the interface, or the interface is down */
	}
	return at - failed;
}

uint64_t packet_port_lost(const struct packet_port *port)
{
	struct tpacket_stats stats = {0};
	socklen_t bytes = sizeof(stats);

	return getsockopt(port->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &bytes) < 0 ? 0 : stats.tp_drops;
}
