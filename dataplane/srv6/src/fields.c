#include "fields.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/config.h"

int field_text(const json_t *request, const char *key, size_t longest, const char **text, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};

	return config_string(&scope, request, key, longest, text);
}

int field_chain(const json_t *request, const char **chain, struct error *err)
{
	if (field_text(request, "chain", LABEL_CHARS, chain, err) < 0)
		return -1;
	if (!name_is_label(*chain))
		return fail(err, E_BAD_REQUEST, "chain", "a chain's name is expected: lower case, digits and hyphens, 63 at most");
	return 0;
}

int field_nf_id(const json_t *request, const char **nf_id, struct error *err)
{
	if (field_text(request, "nf_id", NF_ID_CHARS, nf_id, err) < 0)
		return -1;
	if (!name_is_nf_id(*nf_id))
		return fail(err, E_BAD_REQUEST, "nf_id", "an NF id is expected: <chain>.<nf>, each lower case, digits and hyphens");
	return 0;
}

int field_interface(const json_t *request, const char *key, const char **name, struct error *err)
{
	if (field_text(request, key, IFNAMSIZ - 1, name, err) < 0)
		return -1;
	for (const char *c = *name; *c != '\0'; c++)
		if (!isgraph((unsigned char)*c) || strchr("/:%", *c) != NULL)
			return fail(err, E_BAD_REQUEST, key, "the name of an interface is expected");
	return 0;
}

int field_number(const json_t *request, const char *key, uint32_t least, uint32_t most, int64_t fallback, uint32_t *number,
	struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};
	uint64_t value;

	if (config_uint(&scope, request, key, least, most, fallback, &value) < 0)
		return -1;
	*number = (uint32_t)value;
	return 0;
}

int item_address(const char *text, void *address)
{
	return inet_pton(AF_INET6, text, address) == 1 ? 0 : -1;
}

int item_prefix(const char *text, void *out)
{
	struct srv6_prefix *prefix = out;
	const char *slash = strchr(text, '/');
	char address[INET6_ADDRSTRLEN];
	char *end;

	if (slash == NULL || (size_t)(slash - text) >= sizeof(address) || !isdigit((unsigned char)slash[1]))
		return -1;
	memcpy(address, text, (size_t)(slash - text));
	address[slash - text] = '\0';
	prefix->bits = (uint32_t)strtoul(slash + 1, &end, 10);
	if (*end != '\0' || end - slash > 4 || prefix->bits > 128 || item_address(address, &prefix->address) < 0)
		return -1;
	for (uint32_t bit = prefix->bits; bit < 128; bit++)
		if (prefix->address.bytes[bit / 8] & (0x80 >> bit % 8))
			return -1;
	return 0;
}

int field_address(const json_t *request, const char *key, struct srv6_address *address, struct error *err)
{
	const char *text = json_string_value(json_object_get(request, key));

	if (text == NULL || item_address(text, address) < 0)
		return fail(err, E_BAD_REQUEST, key, ADDRESS_EXPECTED);
	return 0;
}

int field_mac(const json_t *request, const char *key, uint8_t *mac, struct error *err)
{
	const char *text = json_string_value(json_object_get(request, key));
	char again[MAC_TEXT_BYTES];
	unsigned int byte[MAC_BYTES];

	if (text == NULL || strlen(text) != MAC_TEXT_BYTES - 1 || sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x", &byte[0], &byte[1], &byte[2],
		&byte[3], &byte[4], &byte[5]) != MAC_BYTES)
		return fail(err, E_BAD_REQUEST, key, "an Ethernet address such as 02:00:00:00:00:0a is expected");
	for (int i = 0; i < MAC_BYTES; i++)
		mac[i] = (uint8_t)byte[i];
	if (strcasecmp(text_of_mac(mac, again), text) != 0)
		return fail(err, E_BAD_REQUEST, key, "an Ethernet address such as 02:00:00:00:00:0a is expected");
	return 0;
}

int field_segment(const json_t *request, struct srv6_segment *segment, struct error *err)
{
	uint32_t tag;

	memset(segment, 0, sizeof(*segment));
	if (field_number(request, "tag", 1, UINT16_MAX, -1, &tag, err) < 0 || field_address(request, "sid", &segment->sid, err) < 0)
		return -1;
	segment->tag = (uint16_t)tag;
	return 0;
}

int field_list(const json_t *request, const char *key, size_t least, size_t most, field_item read, const char *expected, void *out,
	size_t size, size_t *count, struct error *err)
{
	const json_t *list = json_object_get(request, key);

	*count = json_array_size(list);
	if (!json_is_array(list) || *count < least || *count > most)
		return fail(err, E_BAD_REQUEST, key, "a list of %zu to %zu entries is expected", least, most);
	for (size_t i = 0; i < *count; i++) {
		const char *text = json_string_value(json_array_get(list, i));

		if (text == NULL || read(text, (char *)out + i * size) < 0) {
			char at[64];

			(void)snprintf(at, sizeof(at), "%s.%zu", key, i);
			return fail(err, E_BAD_REQUEST, at, "%s", expected);
		}
	}
	return 0;
}

const char *text_of_mac(const uint8_t *mac, char *room)
{
	(void)snprintf(room, MAC_TEXT_BYTES, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
	return room;
}

json_t *json_of_address(const struct srv6_address *address)
{
	char room[INET6_ADDRSTRLEN];

	return json_string(inet_ntop(AF_INET6, address, room, sizeof(room)));
}
