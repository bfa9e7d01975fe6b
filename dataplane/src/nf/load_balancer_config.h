/* The configuration of a load balancer. */
#ifndef SEXTANT_LOAD_BALANCER_CONFIG_H
#define SEXTANT_LOAD_BALANCER_CONFIG_H

#include "nf/backend_pool.h"

struct balancer_config {
	struct prefix vip;
	uint8_t protocol; /* 0: any */
	uint16_t port;    /* 0: any */
	uint32_t table_size;
	uint32_t places; /* of the connection table; 0: none */
	uint64_t idle_s;
	uint32_t backend_count;
	struct backend backends[BACKENDS_MAX];
};

int balancer_config_read(const json_t *config, const struct scope *scope, struct balancer_config *out);

#endif
