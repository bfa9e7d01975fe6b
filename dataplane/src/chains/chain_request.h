/* Reading an untrusted `add_chain` request. */
#ifndef SEXTANT_CHAIN_REQUEST_H
#define SEXTANT_CHAIN_REQUEST_H

#include "chains/runner.h"

/* A checked `add_chain` request. */
struct chain_request {
	const char *id;
	uint32_t nf_count;
	struct {
		const char *id;
		const struct nf_type *type;
		int core;
		bool exclusive;
		const json_t *config;
	} nfs[CHAIN_NFS_MAX];
	struct source_config source;
	enum execution execution;
	bool paused;
};

const char *execution_name(enum execution execution);
/* -1 with the field named; `request` must outlive `out`. */
int execution_read(const json_t *request, enum execution *out, struct error *err);
int chain_request_read(struct runner *runner, const json_t *request, struct chain_request *out, struct error *err);

#endif
