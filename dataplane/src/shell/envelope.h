/*
 * Takes the outer headers off a frame, so that an NF gets an ordinary packet with an Ethernet header in front, and puts them back
 * round what the NF made of it.
 */
#ifndef SEXTANT_ENVELOPE_H
#define SEXTANT_ENVELOPE_H

#include <rte_ether.h>
#include <rte_mbuf.h>
#include <srv6/layout.h>

#include "shell/measured.h"

#define ENVELOPE_OUTER_MAX (RTE_ETHER_HDR_LEN + SRV6_BYTES_MAX)
#define ENVELOPE_FRAME_MIN 60U /* an NF sees no shorter frame, as behind a network card */
#define ENVELOPE_AHEAD 136U    /* free before a received frame: what encapsulates has room even without outer headers */
#define ENVELOPE_BEHIND 64U    /* and after it, as in a runner's packets */

/* One packet that the NF works on. Its buffer is used again and again: NFs free no packets. */
struct envelope {
	struct rte_mbuf *packet;
	struct measured measured;
	uint8_t outer[ENVELOPE_OUTER_MAX]; /* Ethernet, IPv6, segment routing header */
};

/* Where a frame is to be received in the buffer of a packet. */
static inline uint8_t *envelope_frame(const struct envelope *envelope)
{
	return (uint8_t *)envelope->packet->buf_addr + ENVELOPE_AHEAD;
}

/* Of the `length` bytes received there. With MEASURED_READ the packet is ready for the NF. */
enum measured_read envelope_open(struct envelope *envelope, uint32_t length);

/*
 * What the NF gave back: `outer` is to be sent, and behind it `*inner_bytes` from the address returned. NULL: no whole packet of IPv4 or
 * IPv6. The bytes of both may be more than a port takes.
 */
uint8_t *envelope_close(struct envelope *envelope, uint32_t *inner_bytes);

#endif
