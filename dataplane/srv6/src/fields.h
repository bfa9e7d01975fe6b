/* What a request says, field by field. Each returns 0, or -1 with `err` filled. */
#ifndef SEXTANT_SRV6_FIELDS_H
#define SEXTANT_SRV6_FIELDS_H

#include <jansson.h>

#include "bpf/values.h"
#include "codes.h"
#include "names.h"

int field_text(const json_t *request, const char *key, size_t longest, const char **text, struct error *err);
int field_chain(const json_t *request, const char **chain, struct error *err);
int field_nf_id(const json_t *request, const char **nf_id, struct error *err);
int field_interface(const json_t *request, const char *key, const char **name, struct error *err);
/* An absent one is `fallback`, unless that is negative. */
int field_number(const json_t *request, const char *key, uint32_t least, uint32_t most, int64_t fallback, uint32_t *number,
	struct error *err);
int field_address(const json_t *request, const char *key, struct srv6_address *address, struct error *err);
int field_mac(const json_t *request, const char *key, uint8_t *mac, struct error *err);
/* (tag, sid) */
int field_segment(const json_t *request, struct srv6_segment *segment, struct error *err);

/* A list of `least` to `most` texts, each read by `read` into the next `size` bytes of `out`. */
typedef int (*field_item)(const char *text, void *out);
int field_list(const json_t *request, const char *key, size_t least, size_t most, field_item read, const char *expected, void *out,
	size_t size, size_t *count, struct error *err);
int item_address(const char *text, void *address);
int item_prefix(const char *text, void *prefix);

#define ADDRESS_EXPECTED "an IPv6 address is expected"
#define SEGMENTS_EXPECTED "an IPv6 prefix such as fc00:0:1::/48 is expected, no bit set behind its length"

/* As requests write them, to be read by a person. */
#define MAC_TEXT_BYTES 18
const char *text_of_mac(const uint8_t *mac, char *room);
json_t *json_of_address(const struct srv6_address *address);

#endif
