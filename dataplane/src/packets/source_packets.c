/* Reading what the packets of a source are: their sizes, which flows they belong to, what they carry. */
#include "packets/source_packets.h"

#include <stdio.h>
#include <string.h>

#include "packets/frame.h"

static const char *const KIND_ONLY[] = {"kind", NULL};

/* The `kind` of an optional object; NULL in `kind` where there is none. */
static int read_kind(const struct scope *scope, const json_t *object, const char **kind)
{
	*kind = NULL;
	if (object == NULL || json_is_null(object))
		return 0;
	if (!json_is_object(object))
		return refuse(scope, "", "an object is expected");
	return config_string(scope, object, "kind", 16, kind);
}

static int read_share(const struct scope *scope, const json_t *list, uint32_t index, struct size_share *share)
{
	const json_t *pair = json_array_get(list, index), *bytes = json_array_get(pair, 0), *weight = json_array_get(pair, 1);
	json_int_t size = json_integer_value(bytes), parts = json_integer_value(weight);
	char field[32];

	(void)snprintf(field, sizeof(field), "entries.%u", index);
	if (json_array_size(pair) != 2 || !json_is_integer(bytes) || !json_is_integer(weight) || size < PACKET_BYTES_MIN ||
	    size > PACKET_BYTES_MAX || parts < 1 || parts > SIZE_WEIGHT_MAX)
		return refuse(scope, field, "[bytes, weight] with bytes from %d to %d and weight from 1 to %u is expected",
			PACKET_BYTES_MIN, PACKET_BYTES_MAX, SIZE_WEIGHT_MAX);
	*share = (struct size_share){.bytes = (uint32_t)size, .weight = (uint32_t)parts};
	return 0;
}

static int read_list(const struct scope *scope, const json_t *object, struct source_config *config)
{
	static const char *const fields[] = {"kind", "entries", NULL};
	const json_t *list = json_object_get(object, "entries");

	if (config_object(scope, object, fields) < 0)
		return -1;
	if (json_array_size(list) < 1 || json_array_size(list) > SIZES_MAX)
		return refuse(scope, "entries", "a list of 1 to %u pairs [bytes, weight] is expected", SIZES_MAX);
	config->size_count = (uint32_t)json_array_size(list);
	for (uint32_t i = 0; i < config->size_count; i++)
		if (read_share(scope, list, i, &config->sizes[i]) < 0)
			return -1;
	return 0;
}

static int read_fixed(const struct scope *scope, const json_t *object, struct source_config *config)
{
	static const char *const fields[] = {"kind", "bytes", NULL};
	uint64_t bytes;

	if (config_object(scope, object, fields) < 0 ||
	    config_uint(scope, object, "bytes", PACKET_BYTES_MIN, PACKET_BYTES_MAX, REQUIRED, &bytes) < 0)
		return -1;
	config->packet_bytes = (uint32_t)bytes;
	return 0;
}

static int read_sizes(const json_t *object, struct source_config *config, struct error *err)
{
	static const struct size_share imix[] = IMIX_SIZES;
	struct scope scope = {.code = E_BAD_REQUEST, .at = "source.sizes", .err = err};
	const char *kind;

	if (read_kind(&scope, object, &kind) < 0)
		return -1;
	if (kind == NULL)
		return 0;
	if (strcmp(kind, "fixed") == 0)
		return read_fixed(&scope, object, config);
	if (strcmp(kind, "list") == 0)
		return read_list(&scope, object, config);
	if (strcmp(kind, "imix") != 0)
		return refuse(&scope, "kind", "'fixed', 'imix' or 'list' is expected");
	config->size_count = sizeof(imix) / sizeof(imix[0]);
	memcpy(config->sizes, imix, sizeof(imix));
	return config_object(&scope, object, KIND_ONLY);
}

static int read_flows(const json_t *object, struct source_config *config, struct error *err)
{
	static const char *const fields[] = {"kind", "exponent", NULL};
	struct scope scope = {.code = E_BAD_REQUEST, .at = "source.flow_distribution", .err = err};
	const char *kind;

	if (read_kind(&scope, object, &kind) < 0)
		return -1;
	if (kind == NULL)
		return 0;
	if (strcmp(kind, "zipf") == 0) {
		config->flow_distribution = FLOWS_ZIPF;
		if (config_object(&scope, object, fields) < 0)
			return -1;
		return config_real(&scope, object, "exponent", 0.01, ZIPF_EXPONENT_MAX, &config->zipf_exponent);
	}
	if (strcmp(kind, "uniform") == 0)
		config->flow_distribution = FLOWS_UNIFORM;
	else if (strcmp(kind, "round-robin") != 0)
		return refuse(&scope, "kind", "'round-robin', 'uniform' or 'zipf' is expected");
	return config_object(&scope, object, KIND_ONLY);
}

static uint32_t smallest_size(const struct source_config *config)
{
	uint32_t smallest = config->size_count == 0 ? config->packet_bytes : PACKET_BYTES_MAX;

	for (uint32_t i = 0; i < config->size_count; i++)
		if (config->sizes[i].bytes < smallest)
			smallest = config->sizes[i].bytes;
	return smallest;
}

/* A string goes into any packet that its share falls on, so it must fit into the smallest. */
static int read_string(const struct scope *scope, const json_t *list, uint32_t index, struct source_config *config)
{
	const json_t *value = json_array_get(list, index);
	size_t length = json_string_length(value);
	uint32_t smallest = smallest_size(config), room = smallest - frame_header_bytes(config);
	char field[32];

	(void)snprintf(field, sizeof(field), "strings.%u", index);
	if (!json_is_string(value) || length < MATCH_BYTES_MIN || length > MATCH_BYTES_MAX)
		return refuse(scope, field, "a string of %u to %u bytes is expected", MATCH_BYTES_MIN, MATCH_BYTES_MAX);
	if (length > room)
		return refuse(scope, field, "its %zu bytes do not fit into the payload of a %u-byte packet (%u bytes); shorten it "
			"or send larger packets", length, smallest, room);
	config->payload.matches[index].length = (uint32_t)length;
	memcpy(config->payload.matches[index].bytes, json_string_value(value), length);
	return 0;
}

static int read_matches(const struct scope *scope, const json_t *object, struct source_config *config)
{
	static const char *const fields[] = {"kind", "percent", "strings", NULL};
	const json_t *list = json_object_get(object, "strings");
	double percent;

	if (config_object(scope, object, fields) < 0 || config_real(scope, object, "percent", 0, 100, &percent) < 0)
		return -1;
	if (json_array_size(list) < 1 || json_array_size(list) > MATCHES_MAX)
		return refuse(scope, "strings", "a list of 1 to %u strings is expected", MATCHES_MAX);
	config->payload.kind = PAYLOAD_MATCHES;
	config->payload.match_share = percent / 100;
	config->payload.match_count = (uint32_t)json_array_size(list);
	for (uint32_t i = 0; i < config->payload.match_count; i++)
		if (read_string(scope, list, i, config) < 0)
			return -1;
	return 0;
}

static int read_payload(const json_t *object, struct source_config *config, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "source.payload", .err = err};
	const char *kind;

	if (read_kind(&scope, object, &kind) < 0)
		return -1;
	if (kind == NULL)
		return 0;
	if (strcmp(kind, "matches") == 0)
		return read_matches(&scope, object, config);
	if (strcmp(kind, "random") == 0)
		config->payload.kind = PAYLOAD_RANDOM;
	else if (strcmp(kind, "zero") != 0)
		return refuse(&scope, "kind", "'zero', 'random' or 'matches' is expected");
	return config_object(&scope, object, KIND_ONLY);
}

/* A capture holds packets of its own. */
static int check_smallest(const json_t *source, const struct source_config *config, struct error *err)
{
	const json_t *pcap = json_object_get(source, "pcap");
	uint32_t smallest = smallest_size(config), least = frame_header_bytes(config);

	if (smallest >= least || (pcap != NULL && !json_is_null(pcap)))
		return 0;
	return fail(err, E_BAD_REQUEST, config->size_count == 0 ? "source.packet_bytes" : "source.sizes",
		"the headers of the match take %u bytes, and the smallest packet has %u; send larger packets", least, smallest);
}

int source_packets_read(const json_t *source, struct source_config *config, struct error *err)
{
	if (read_sizes(json_object_get(source, "sizes"), config, err) < 0 ||
	    check_smallest(source, config, err) < 0 ||
	    read_flows(json_object_get(source, "flow_distribution"), config, err) < 0)
		return -1;
	return read_payload(json_object_get(source, "payload"), config, err); /* after the sizes: strings must fit */
}
