/* The process of a group of NFs: takes bursts from its first ring, works on them, passes on what is kept. */
#ifndef SEXTANT_NF_PROCESS_H
#define SEXTANT_NF_PROCESS_H

#include "nf/nf.h"
#include "shared.h"

struct group_run {
	struct group_slot *slot;
	struct bell *control_bell; /* rung when an order is obeyed */
	_Atomic uint32_t *peak_round;
	struct {
		const struct nf_type *type;
		void *state;
	} nfs[CHAIN_NFS_MAX];
};

/* Begins with holding if `order` says so. Never returns; for process_start. */
void nf_process_main(void *argument);

#endif
