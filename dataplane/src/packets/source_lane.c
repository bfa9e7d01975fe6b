#include "packets/source_lane.h"

#include <stdio.h>

#include "packets/lane_flows.h"

static int read_weights(const struct scope *scope, const json_t *object, uint32_t *weights, uint32_t *count)
{
	const json_t *list = json_object_get(object, "weights");
	char field[32];

	if (json_array_size(list) < 1 || json_array_size(list) > LANES_MAX)
		return refuse(scope, "weights", "a list of 1 to %u weights is expected, one a lane", LANES_MAX);
	*count = (uint32_t)json_array_size(list);
	for (uint32_t i = 0; i < *count; i++) {
		const json_t *weight = json_array_get(list, i);
		json_int_t value = json_integer_value(weight);

		(void)snprintf(field, sizeof(field), "weights.%u", i);
		if (!json_is_integer(weight) || value < 1 || value > LANE_WEIGHT_MAX)
			return refuse(scope, field, "an integer from 1 to %u is expected", LANE_WEIGHT_MAX);
		weights[i] = (uint32_t)value;
	}
	return 0;
}

int source_lane_read(const json_t *source, struct source_config *config, struct error *err)
{
	static const char *const fields[] = {"number", "weights", NULL};
	struct scope scope = {.code = E_BAD_REQUEST, .at = "source.lane", .err = err};
	const json_t *object = json_object_get(source, "lane"), *pcap = json_object_get(source, "pcap");
	uint32_t weights[LANES_MAX], count = 0;
	uint64_t number;

	if (object == NULL || json_is_null(object))
		return 0;
	if (config_object(&scope, object, fields) < 0 || read_weights(&scope, object, weights, &count) < 0 ||
	    config_uint(&scope, object, "number", 1, count, REQUIRED, &number) < 0)
		return -1;
	if (pcap != NULL && !json_is_null(pcap))
		return refuse(&scope, "", "a capture is not divided over lanes; remove lane, or remove pcap");
	lane_make(&config->lane, (uint32_t)number - 1, weights, count);
	if (!lane_has_flows(config))
		config->packets_per_second = 0;
	return 0;
}
