#include "nf/load_balancer_config.h"

#include <stdio.h>

#define WEIGHT_MAX 100
#define PLACES_MAX (1U << 20)
#define IDLE_S_MAX 86400

static const uint32_t SIZES[] = {251, 4093, 65537, 655373}; /* primes; the last two are those of the paper's measurements */

static int read_size(const json_t *config, const struct scope *scope, uint32_t *out)
{
	uint64_t size;

	if (config_uint(scope, config, "table_size", 0, UINT32_MAX, 65537, &size) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(SIZES) / sizeof(SIZES[0]); i++) {
		if (SIZES[i] != size)
			continue;
		*out = SIZES[i];
		return 0;
	}
	return refuse(scope, "table_size", "one of the primes 251, 4093, 65537 and 655373 is expected");
}

/* One inside the vip would be matched again: by a second load balancer, or by the successor of a killed one. */
static int read_backend(const json_t *object, const struct scope *scope, const struct balancer_config *config,
	struct backend *out)
{
	static const char *const fields[] = {"address", "weight", NULL};
	struct prefix address;
	uint64_t weight;

	if (config_prefix(scope, object, "address", &address) < 0 || config_object(scope, object, fields) < 0 ||
	    config_uint(scope, object, "weight", 1, WEIGHT_MAX, 1, &weight) < 0)
		return -1;
	if (address.length != 32)
		return refuse(scope, "address", "one IPv4 address is expected");
	if (prefix_overlaps(&address, &config->vip))
		return refuse(scope, "address", "must lie outside vip_prefix");
	for (uint32_t i = 0; i < config->backend_count; i++)
		if (config->backends[i].address == address.address)
			return refuse(scope, "address", "backend %u has this address already", i);
	*out = (struct backend){.address = address.address, .weight = (uint32_t)weight};
	return 0;
}

static int read_backends(const json_t *config, const struct scope *scope, struct balancer_config *out)
{
	const json_t *list = json_object_get(config, "backends");
	size_t count = json_array_size(list);

	if (list == NULL || count == 0 || count > BACKENDS_MAX || count > out->table_size)
		return refuse(scope, "backends", "a list of 1 to %u backends is expected, and no more than the table has entries",
			BACKENDS_MAX);
	for (out->backend_count = 0; out->backend_count < count; out->backend_count++) {
		char at[ERROR_FIELD_MAX];
		struct scope inner = {.code = scope->code, .at = at, .err = scope->err};

		(void)snprintf(at, sizeof(at), "%s.backends.%u", scope->at, out->backend_count);
		if (read_backend(json_array_get(list, out->backend_count), &inner, out, &out->backends[out->backend_count]) < 0)
			return -1;
	}
	return 0;
}

static int read_match(const json_t *config, const struct scope *scope, struct balancer_config *out)
{
	const json_t *port = json_object_get(config, "port");
	uint64_t number = 0;

	out->vip = (struct prefix){.address = 0xc0a80000U, .length = 16}; /* 192.168.0.0/16 */
	if ((json_object_get(config, "vip_prefix") != NULL && config_prefix(scope, config, "vip_prefix", &out->vip) < 0) ||
	    (json_object_get(config, "protocol") != NULL && config_protocol(scope, config, "protocol", &out->protocol) < 0) ||
	    (port != NULL && !json_is_null(port) && config_uint(scope, config, "port", 1, UINT16_MAX, REQUIRED, &number) < 0))
		return -1;
	out->port = (uint16_t)number;
	return 0;
}

int balancer_config_read(const json_t *config, const struct scope *scope, struct balancer_config *out)
{
	static const char *const fields[] = {"vip_prefix", "protocol", "port", "backends", "table_size",
		"connection_table_entries", "idle_timeout_s", NULL};
	uint64_t places;

	*out = (struct balancer_config){0};
	if (config_object(scope, config, fields) < 0 || read_match(config, scope, out) < 0 ||
	    read_size(config, scope, &out->table_size) < 0 || read_backends(config, scope, out) < 0 ||
	    config_uint(scope, config, "connection_table_entries", 0, PLACES_MAX, 0, &places) < 0 ||
	    config_uint(scope, config, "idle_timeout_s", 1, IDLE_S_MAX, 300, &out->idle_s) < 0)
		return -1;
	if (places > 0 && places < 64)
		return refuse(scope, "connection_table_entries", "0 (none) or a number from 64 to %u is expected", PLACES_MAX);
	out->places = (uint32_t)places;
	return 0;
}
