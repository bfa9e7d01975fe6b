/* Reading untrusted JSON objects field by field; every refusal names the field and what it allows. */
#ifndef SEXTANT_CONFIG_H
#define SEXTANT_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* Where an object stands in the request (`nfs.1.config`) and which code its refusals carry. */
struct scope {
	const char *code;
	const char *at; /* "" at the top of a request */
	struct error *err;
};

struct prefix {
	uint32_t address; /* host byte order, host bits zero */
	uint8_t length;   /* 0-32 */
};

#define REQUIRED (-1) /* a fallback that is none */

/* Refuses `field` of the scope's object; returns -1. */
int refuse(const struct scope *scope, const char *field, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* An object with no field beside the `known` ones (NULL-terminated). */
int config_object(const struct scope *scope, const json_t *object, const char *const *known);
/* A whole number in [least, most]; an absent one is `fallback` unless REQUIRED. */
int config_uint(const struct scope *scope, const json_t *object, const char *key, uint64_t least, uint64_t most,
	int64_t fallback, uint64_t *out);
/* A number in [least, most]. */
int config_real(const struct scope *scope, const json_t *object, const char *key, double least, double most, double *out);
/* true or false; an absent one is `fallback`. */
int config_bool(const struct scope *scope, const json_t *object, const char *key, bool fallback, bool *out);
/* A string of 1 to `longest` characters; points into `object`. */
int config_string(const struct scope *scope, const json_t *object, const char *key, size_t longest, const char **out);
/* A name: 1 to `longest` letters, digits, '.', '_', '-'. */
int config_name(const struct scope *scope, const json_t *object, const char *key, size_t longest, const char **out);
/* An IPv4 prefix (`10.0.0.0/8`; an address is a /32); host bits are cleared. */
int config_prefix(const struct scope *scope, const json_t *object, const char *key, struct prefix *out);
/* The same from a text; -1 when it is none. */
int prefix_parse(const char *text, struct prefix *out);
#define PREFIX_EXPECTED "an IPv4 prefix such as 10.0.0.0/8 is expected"
/* "udp", "tcp", or "any" (0). */
int config_protocol(const struct scope *scope, const json_t *object, const char *key, uint8_t *out);

static inline uint32_t prefix_mask(uint8_t length)
{
	return length == 0 ? 0 : UINT32_MAX << (32 - length);
}

static inline bool prefix_overlaps(const struct prefix *a, const struct prefix *b)
{
	uint32_t mask = prefix_mask(a->length < b->length ? a->length : b->length);

	return (a->address & mask) == (b->address & mask);
}

#endif
