#include "shell/envelope.h"

#include <string.h>

/* By the version that the packet has now. */
#define NEXT_OF(version) ((uint8_t)((version) == 4 ? SRV6_NEXT_IPV4 : SRV6_NEXT_IPV6))

/*
 * The Ethernet addresses are those of the frame: an NF may write them as a router does, and nobody reads what it wrote, since the outer
 * headers say where the packet goes.
 */
static void write_ether(struct envelope *envelope, uint8_t *at)
{
	struct rte_ether_hdr *ether = (struct rte_ether_hdr *)at;

	memcpy(ether, envelope->outer, sizeof(*ether));
	ether->ether_type = envelope->measured.inner_type;
}

enum measured_read envelope_open(struct envelope *envelope, uint32_t length)
{
	struct rte_mbuf *packet = envelope->packet;
	uint8_t *frame = envelope_frame(envelope);
	enum measured_read read = measured_read(frame, length, &envelope->measured);
	uint32_t bytes = RTE_ETHER_HDR_LEN + envelope->measured.inner_bytes;

	if (read != MEASURED_READ)
		return read;
	memcpy(envelope->outer, frame, envelope->measured.outer_bytes);
	packet->data_off = (uint16_t)(ENVELOPE_AHEAD + envelope->measured.outer_bytes - RTE_ETHER_HDR_LEN);
	write_ether(envelope, rte_pktmbuf_mtod(packet, uint8_t *));
	if (bytes < ENVELOPE_FRAME_MIN) {
		memset(rte_pktmbuf_mtod_offset(packet, uint8_t *, bytes), 0, ENVELOPE_FRAME_MIN - bytes);
		bytes = ENVELOPE_FRAME_MIN;
	}
	packet->data_len = (uint16_t)bytes;
	packet->pkt_len = bytes;
	packet->nb_segs = 1;
	packet->next = NULL;
	packet->ol_flags = 0;
	return MEASURED_READ;
}

uint8_t *envelope_close(struct envelope *envelope, uint32_t *inner_bytes)
{
	struct rte_mbuf *packet = envelope->packet;
	uint8_t *inner = rte_pktmbuf_mtod_offset(packet, uint8_t *, RTE_ETHER_HDR_LEN);

	if (packet->data_len < RTE_ETHER_HDR_LEN)
		return NULL;
	*inner_bytes = measured_inner_bytes(inner, packet->data_len - (uint32_t)RTE_ETHER_HDR_LEN);
	if (*inner_bytes == 0)
		return NULL;
	envelope->outer[RTE_ETHER_HDR_LEN + SRV6_AT_SRH] = NEXT_OF(inner[0] >> 4);
	/* Also where the NF left the length as it was: what lay behind the packet's own length is not given back. */
	measured_set_inner_bytes(envelope->outer, &envelope->measured, *inner_bytes);
	return inner;
}
