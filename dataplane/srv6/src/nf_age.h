/* How long an NF has had what it has. */
#ifndef SEXTANT_SRV6_NF_AGE_H
#define SEXTANT_SRV6_NF_AGE_H

#include <stdint.h>

#include "bpf/values.h"

/* The oldest packet that is still out has been there for at least as long (docs/contracts/srv6.md); 0: none is. */
uint64_t nf_oldest_ns(const struct srv6_nf_state *state, uint64_t now_ns);

/* The most packets that waited at the port by which its packets go on, in the last second or two; -1: none went out by one whose queue
 * could be read. */
int nf_queue_packets(const struct srv6_nf_state *state, uint64_t now_ns);

#endif
