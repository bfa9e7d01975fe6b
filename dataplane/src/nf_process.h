/* The process of one NF: takes bursts from its ring, works on them, passes on what is kept. */
#ifndef SEXTANT_NF_PROCESS_H
#define SEXTANT_NF_PROCESS_H

#include "nf/nf.h"
#include "shared.h"

struct nf_run {
	struct nf_slot *slot;
	const struct nf_type *type;
	void *state;
	struct bell *control_bell; /* rung when the process is ready */
};

/* Never returns; for process_start. */
void nf_process_main(void *argument);

/*
 * After the death of an NF's process: finishes the step it was killed in, if any. Then every packet is in exactly
 * one ring and every counter agrees with the rings, as if it had been killed between two steps.
 */
void nf_recover(struct nf_slot *slot);

#endif
