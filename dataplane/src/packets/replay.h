/*
 * A capture as a source replays it: the packets in the file's order, again and again. The control process makes it
 * (pcap_file.c) in memory that the traffic process sees too; nobody changes it then.
 */
#ifndef SEXTANT_REPLAY_H
#define SEXTANT_REPLAY_H

#include <stdint.h>

struct replay_packet {
	uint64_t at_ns;  /* since the first packet; never less than the one before */
	uint32_t offset; /* of its bytes, from the begin of the replay */
	uint32_t length;
	uint32_t unmatched, malformed; /* frames of the file that are left out, and counted when this one is sent */
};

struct replay {
	uint32_t count; /* of those that are sent */
	uint64_t period_ns; /* from one round's first packet to the next one's; 0: all have the same time */
	uint64_t longest_gap_ns;
	struct replay_packet packets[];
};

/* When the packets of a replay fall due that keeps the file's own gaps. Pure: the clock is passed in. */
struct replay_clock {
	const struct replay *replay;
	uint32_t next; /* the first packet that is not due yet */
	uint64_t origin, last, interval;
	double ns_per_cycle;
};

static inline const uint8_t *replay_bytes(const struct replay *replay, uint32_t index)
{
	return (const uint8_t *)replay + replay->packets[index].offset;
}

/* `replay` has a period. */
void replay_clock_start(struct replay_clock *clock, const struct replay *replay, uint64_t cycles_per_second, uint64_t now);

/* The time since the last call is left out: the file goes on at `now` where it stood. */
void replay_clock_resume(struct replay_clock *clock, uint64_t now);

/* Packets that fell due since the last call. */
uint64_t replay_clock_advance(struct replay_clock *clock, uint64_t now);

/* The cycle at which it is worth looking again. */
uint64_t replay_clock_next(const struct replay_clock *clock);

#endif
