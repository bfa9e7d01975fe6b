/* The input of a group's process: its part of the shared memory, its NFs and their tables. */
#ifndef SEXTANT_GROUP_RUN_H
#define SEXTANT_GROUP_RUN_H

#include "nf/nf.h"
#include "shared/shared.h"

struct group_run {
	struct group_slot *slot;
	struct eventcount *control_events; /* signalled when a command was followed */
	_Atomic uint32_t *peak_round;
	struct {
		const struct nf_type *type;
		void *state;
	} nfs[CHAIN_NFS_MAX];
};

#endif
