/* Passes every packet on, after a set number of idle loops: a stand-in for an NF of known cost. */
#include <stdlib.h>

#include "nf/nf.h"

#define LOOPS_MAX 100000

struct simple_forward {
	uint32_t loops;
};

static void *open_forward(const json_t *config, const struct scope *scope, const char *tag)
{
	static const char *const fields[] = {"loops", NULL};
	struct simple_forward *forward;
	uint64_t loops;

	(void)tag;
	if (config_object(scope, config, fields) < 0 ||
	    config_uint(scope, config, "loops", 0, LOOPS_MAX, 0, &loops) < 0)
		return NULL;
	forward = calloc(1, sizeof(*forward));
	if (forward == NULL)
		(void)refuse(scope, "", "out of memory");
	else
		forward->loops = (uint32_t)loops;
	return forward;
}

static uint32_t process_forward(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct simple_forward *forward = state;

	(void)packets;
	for (uint32_t packet = 0; packet < count; packet++)
		for (uint32_t loop = 0; loop < forward->loops; loop++)
			__asm__ volatile("" : : "r"(loop)); /* a loop the compiler keeps */
	return (uint32_t)((1ULL << count) - 1);
}

const struct nf_type NF_SIMPLE_FORWARD = {
	.name = "simple-forward", .repeatable = true, .open = open_forward, .process = process_forward, .close = free};
