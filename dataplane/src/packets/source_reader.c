#include "packets/source_reader.h"

#include <netinet/in.h>
#include <string.h>

#include "base/artefact.h"
#include "packets/frame.h"
#include "packets/ingress_match.h"
#include "packets/pcap_file.h"
#include "packets/source_arrivals.h"
#include "packets/source_lane.h"
#include "packets/source_packets.h"

static const char *const SOURCE_FIELDS[] = {"rate_mpps", "packet_bytes", "flows", "match", "sizes", "arrivals",
	"flow_distribution", "lane", "payload", "pcap", "seed", NULL};
static const char *const MATCH_FIELDS[] = {"src_prefix", "dst_prefix", "protocol", "dst_port", NULL};

/* The last 32 bits, which are all that vary of a prefix that is shorter. */
static struct prefix last_bits(const struct prefix6 *prefix)
{
	const uint8_t *last = prefix->address + IPV6_ADDRESS_BYTES - 4;

	return (struct prefix){.length = prefix->length > 96 ? (uint8_t)(prefix->length - 96) : 0,
		.address = (uint32_t)last[0] << 24 | (uint32_t)last[1] << 16 | (uint32_t)last[2] << 8 | last[3]};
}

static bool is_of_ipv6(const json_t *match, const char *key)
{
	const char *text = json_string_value(json_object_get(match, key));

	return text != NULL && prefix6_is_meant(text);
}

static int read_prefix6(const struct scope *scope, const json_t *match, const char *key, struct prefix6 *out)
{
	const char *text = json_string_value(json_object_get(match, key));

	return text == NULL || prefix6_parse(text, out) < 0 ? refuse(scope, key, PREFIX6_EXPECTED) : 0;
}

/* Both of one family. */
static int read_prefixes(const struct scope *scope, const json_t *match, struct source_config *config)
{
	config->ipv6 = is_of_ipv6(match, "src_prefix");
	if (config->ipv6 != is_of_ipv6(match, "dst_prefix") && json_is_string(json_object_get(match, "dst_prefix")))
		return refuse(scope, "dst_prefix", "a match has one address family; write both prefixes of IPv4 or both of IPv6");
	if (!config->ipv6)
		return config_prefix(scope, match, "src_prefix", &config->src) < 0 ? -1 :
			config_prefix(scope, match, "dst_prefix", &config->dst);
	if (read_prefix6(scope, match, "src_prefix", &config->src6) < 0 ||
	    read_prefix6(scope, match, "dst_prefix", &config->dst6) < 0)
		return -1;
	config->src = last_bits(&config->src6);
	config->dst = last_bits(&config->dst6);
	return 0;
}

static int read_match(const json_t *match, struct source_config *config, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "source.match", .err = err};
	const json_t *port = json_object_get(match, "dst_port");
	uint64_t number = 0;

	if (config_object(&scope, match, MATCH_FIELDS) < 0 ||
	    read_prefixes(&scope, match, config) < 0 ||
	    config_protocol(&scope, match, "protocol", &config->protocol) < 0)
		return -1;
	if (config->protocol == 0)
		return fail(err, E_BAD_REQUEST, "source.match.protocol", "a source sends 'udp' or 'tcp', not both");
	if (port != NULL && !json_is_null(port) && config_uint(&scope, match, "dst_port", 1, 65535, REQUIRED, &number) < 0)
		return -1;
	config->dst_port = (uint16_t)number;
	return 0;
}

static int read_basics(const struct scope *scope, const json_t *source, struct source_config *config)
{
	uint64_t bytes, flows, distinct;
	double rate;

	if (config_object(scope, source, SOURCE_FIELDS) < 0 ||
	    config_real(scope, source, "rate_mpps", 0, RATE_MPPS_MAX, &rate) < 0 ||
	    config_uint(scope, source, "packet_bytes", PACKET_BYTES_MIN, PACKET_BYTES_MAX, REQUIRED, &bytes) < 0 ||
	    config_uint(scope, source, "flows", 1, FLOWS_MAX, REQUIRED, &flows) < 0 ||
	    config_uint(scope, source, "seed", 0, UINT32_MAX, 1, &config->seed) < 0 ||
	    read_match(json_object_get(source, "match"), config, scope->err) < 0)
		return -1;
	config->packets_per_second = rate * 1e6;
	config->packet_bytes = (uint32_t)bytes;
	config->flows = (uint32_t)flows;
	distinct = flow_capacity(config);
	if (flows > distinct)
		return refuse(scope, "flows", "the match allows only %llu distinct flows, not %llu; widen a prefix or ask "
			"for fewer", (unsigned long long)distinct, (unsigned long long)flows);
	return 0;
}

static bool is_given(const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	return value != NULL && !json_is_null(value);
}

/* A capture holds its own sizes, flows and payload: a second word on them would be passed over in silence. */
static int check_no_shape(const struct scope *scope, const json_t *source)
{
	static const char *const own[] = {"sizes", "flow_distribution", "payload", NULL};

	for (const char *const *key = own; *key != NULL; key++)
		if (is_given(source, *key))
			return refuse(scope, *key, "a capture brings its own; remove this field, or remove pcap");
	return 0;
}

static int read_timing(const struct scope *scope, const json_t *pcap, bool *by_file)
{
	const char *timing = "rate";

	if (is_given(pcap, "timing") && config_string(scope, pcap, "timing", 8, &timing) < 0)
		return -1;
	*by_file = strcmp(timing, "file") == 0;
	if (!*by_file && strcmp(timing, "rate") != 0)
		return refuse(scope, "timing", "'rate' (the source's rate) or 'file' (the file's own gaps) is expected");
	return 0;
}

static int use_file_timing(const struct scope *scope, const json_t *source, struct source_config *config)
{
	if (is_given(source, "arrivals"))
		return refuse(scope, "timing", "'file' replays the file's own gaps; remove arrivals");
	if (pcap_check_timing(scope, config->replay) < 0)
		return -1;
	config->arrivals = (struct arrivals_config){.kind = ARRIVALS_FILE, .replay = config->replay};
	return 0;
}

/* Of IPv4 a capture is sent as it is. */
static int filter(const struct scope *scope, const struct source_config *config, struct replay *replay)
{
	if (!config->ipv6 || ingress_filter(config, replay) == 0)
		return 0;
	return refuse(scope, "file", "none of its %u packets is of the match; widen the match, or choose another capture",
		replay->count);
}

static int read_pcap(const struct scope *source_scope, const json_t *source, struct source_config *config)
{
	static const char *const fields[] = {"file", "timing", NULL};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "source.pcap", .err = source_scope->err};
	const json_t *pcap = json_object_get(source, "pcap");
	struct artefact file;
	struct replay *replay;
	bool by_file;

	if (!is_given(source, "pcap"))
		return 0;
	if (check_no_shape(source_scope, source) < 0 || config_object(&scope, pcap, fields) < 0 ||
	    read_timing(&scope, pcap, &by_file) < 0 || artefact_read(&scope, pcap, "file", PCAP_BYTES_MAX, &file) < 0)
		return -1;
	if (file.bytes == NULL)
		return refuse(&scope, "file", "the digest of a capture is expected");
	replay = pcap_load(&scope, "file", &file);
	artefact_free(&file);
	if (replay == NULL)
		return -1;
	config->replay = replay;
	if (filter(&scope, config, replay) == 0 && (!by_file || use_file_timing(&scope, source, config) == 0))
		return 0;
	replay_free(replay);
	return -1;
}

int source_config_read(const json_t *source, struct source_config *config, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "source", .err = err};

	memset(config, 0, sizeof(*config));
	if (read_basics(&scope, source, config) < 0 || source_arrivals_read(source, config, err) < 0 ||
	    source_packets_read(source, config, err) < 0 || source_lane_read(source, config, err) < 0)
		return -1;
	return read_pcap(&scope, source, config); /* last: what it takes is only given back here */
}
