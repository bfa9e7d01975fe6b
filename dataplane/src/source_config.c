#include "source_config.h"

#include <netinet/in.h>

#include "frame.h"

static const char *const SOURCE_FIELDS[] = {"rate_mpps", "packet_bytes", "flows", "match", NULL};
static const char *const MATCH_FIELDS[] = {"src_prefix", "dst_prefix", "protocol", "dst_port", NULL};

static int match_read(const json_t *match, struct source_config *config, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "source.match", .err = err};
	const json_t *port = json_object_get(match, "dst_port");
	uint64_t number = 0;

	if (config_object(&scope, match, MATCH_FIELDS) < 0 ||
	    config_prefix(&scope, match, "src_prefix", &config->src) < 0 ||
	    config_prefix(&scope, match, "dst_prefix", &config->dst) < 0 ||
	    config_protocol(&scope, match, "protocol", &config->protocol) < 0)
		return -1;
	if (config->protocol == 0)
		return fail(err, E_BAD_REQUEST, "source.match.protocol", "a source sends 'udp' or 'tcp', not both");
	if (port != NULL && !json_is_null(port) && config_uint(&scope, match, "dst_port", 1, 65535, REQUIRED, &number) < 0)
		return -1;
	config->dst_port = (uint16_t)number;
	return 0;
}

int source_config_read(const json_t *source, struct source_config *config, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "source", .err = err};
	uint64_t bytes, flows, distinct;
	double rate;

	if (config_object(&scope, source, SOURCE_FIELDS) < 0 ||
	    config_real(&scope, source, "rate_mpps", 0, RATE_MPPS_MAX, &rate) < 0 ||
	    config_uint(&scope, source, "packet_bytes", PACKET_BYTES_MIN, PACKET_BYTES_MAX, REQUIRED, &bytes) < 0 ||
	    config_uint(&scope, source, "flows", 1, FLOWS_MAX, REQUIRED, &flows) < 0 ||
	    match_read(json_object_get(source, "match"), config, err) < 0)
		return -1;
	config->packets_per_second = rate * 1e6;
	config->packet_bytes = (uint32_t)bytes;
	config->flows = (uint32_t)flows;
	distinct = flow_capacity(config);
	if (flows > distinct)
		return fail(err, E_BAD_REQUEST, "source.flows", "the match allows only %llu distinct flows, not %llu; "
			"widen a prefix or ask for fewer", (unsigned long long)distinct, (unsigned long long)flows);
	return 0;
}
