/* Lanes: each flow in exactly one, shares by weight, and who moves when a lane is added. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "packets/lane_flows.h"
#include "packets/packet_source.h"
#include "packets/source_reader.h"

#define FLOWS 20000U

static struct source_config config_of(const char *extra)
{
	char text[2048];
	struct source_config config;
	struct error err = {0};
	json_t *json;

	(void)snprintf(text, sizeof(text), "{\"rate_mpps\": 1, \"packet_bytes\": 64, \"flows\": %u, \"match\": {\"src_prefix\": "
		"\"10.0.0.0/8\", \"dst_prefix\": \"192.168.0.0/16\", \"protocol\": \"udp\"}%s}", FLOWS, extra);
	json = json_loads(text, 0, NULL);
	CHECK(json != NULL);
	if (source_config_read(json, &config, &err) < 0) {
		(void)fprintf(stderr, "%s: %s: %s\n", extra, err.field, err.message);
		exit(1);
	}
	json_decref(json);
	return config;
}

static uint32_t lane_of(struct lane *lanes, uint32_t count, struct flow flow)
{
	uint32_t found = count;

	for (uint32_t lane = 0; lane < count; lane++) {
		if (!lane_has(&lanes[lane], flow.src, flow.dst, flow.src_port, flow.dst_port))
			continue;
		CHECK(found == count); /* in no second one */
		found = lane;
	}
	CHECK(found < count);
	return found;
}

static void make_lanes(struct lane *lanes, const uint32_t *weights, uint32_t count)
{
	for (uint32_t lane = 0; lane < count; lane++)
		lane_make(&lanes[lane], lane, weights, count);
}

/*
 * A bucket is lane k's with p = w_k / sum, so of 4096 buckets a share p +- sqrt(p (1 - p) / 4096); 20,000 flows add
 * sqrt(p (1 - p) / 20,000). Five of these standard errors.
 */
static void weights_hold(void)
{
	static const uint32_t weights[] = {1, 2, 5};
	struct source_config config = config_of("");
	struct lane lanes[3];
	double flows[3] = {0};

	make_lanes(lanes, weights, 3);
	for (uint32_t i = 0; i < FLOWS; i++)
		flows[lane_of(lanes, 3, flow_at(&config, i))]++;
	for (uint32_t lane = 0; lane < 3; lane++) {
		double p = weights[lane] / 8.0;

		CHECK(fabs(flows[lane] / FLOWS - p) < 5 * sqrt(p * (1 - p) * (1.0 / LANE_BUCKETS + 1.0 / FLOWS)));
	}
}

static void a_new_lane_takes_flows_and_moves_no_other(void)
{
	static const uint32_t weights[] = {3, 1, 2};
	struct source_config config = config_of("");
	struct lane before[2], after[3];
	uint32_t taken = 0;

	make_lanes(before, weights, 2);
	make_lanes(after, weights, 3);
	for (uint32_t i = 0; i < FLOWS; i++) {
		struct flow flow = flow_at(&config, i);
		uint32_t now = lane_of(after, 3, flow);

		CHECK(now == 2 || now == lane_of(before, 2, flow));
		taken += now == 2;
	}
	CHECK(fabs((double)taken / FLOWS - 2.0 / 6) < 5 * sqrt(1.0 / 3 * 2 / 3 * (1.0 / LANE_BUCKETS + 1.0 / FLOWS)));
}

static void a_heavier_lane_takes_flows_and_moves_no_other(void)
{
	static const uint32_t light[] = {1, 1, 1}, heavy[] = {1, 4, 1};
	struct source_config config = config_of("");
	struct lane before[3], after[3];

	make_lanes(before, light, 3);
	make_lanes(after, heavy, 3);
	for (uint32_t i = 0; i < FLOWS; i++) {
		struct flow flow = flow_at(&config, i);
		uint32_t now = lane_of(after, 3, flow);

		CHECK(now == 1 || now == lane_of(before, 3, flow));
	}
}

/* What is asked for is sent, however many of the flows the lane has. */
static void the_rate_is_the_lanes_own(void)
{
	struct source_config config = config_of(", \"lane\": {\"number\": 2, \"weights\": [5, 1]}");

	CHECK(config.packets_per_second == 1e6 && config.arrivals.steps[0].packets_per_second == 1e6);
}

/* Of each packet the flow is the lane's; round-robin passes each once before any comes again. */
static void only_own_flows_are_sent(const char *distribution)
{
	char extra[256];
	struct source_config config;
	struct flow_pick pick;

	(void)snprintf(extra, sizeof(extra), ", \"flow_distribution\": {%s}, \"lane\": {\"number\": 8, \"weights\": "
		"[16, 16, 16, 16, 16, 16, 16, 1]}", distribution);
	config = config_of(extra);
	flow_pick_start(&pick, config.flow_distribution, config.flows, config.zipf_exponent, 1);
	for (uint32_t i = 0; i < 1000; i++) {
		struct flow flow = lane_next_flow(&config, &pick);

		CHECK(lane_has(&config.lane, flow.src, flow.dst, flow.src_port, flow.dst_port));
	}
}

static void round_robin_passes_each_own_flow_once(void)
{
	struct source_config config = config_of(", \"lane\": {\"number\": 2, \"weights\": [5, 1]}");
	uint32_t own = 0;
	struct flow_pick pick;
	struct flow first;

	for (uint32_t i = 0; i < FLOWS; i++) {
		struct flow flow = flow_at(&config, i);

		own += lane_has(&config.lane, flow.src, flow.dst, flow.src_port, flow.dst_port);
	}
	flow_pick_start(&pick, config.flow_distribution, config.flows, 0, 1);
	first = lane_next_flow(&config, &pick);
	for (uint32_t i = 1; i < own; i++) {
		struct flow next = lane_next_flow(&config, &pick);

		CHECK(memcmp(&next, &first, sizeof(next)) != 0);
	}
	CHECK(memcmp(&(struct flow[]){lane_next_flow(&config, &pick)}, &first, sizeof(first)) == 0);
}

/* One flow, two lanes: one of them has it, the other has nothing to send. */
static void a_lane_without_flows_sends_nothing(void)
{
	struct source_config one = config_of(", \"flows\": 1, \"lane\": {\"number\": 1, \"weights\": [1, 1]}");
	struct source_config two = config_of(", \"flows\": 1, \"lane\": {\"number\": 2, \"weights\": [1, 1]}");

	CHECK(one.packets_per_second + two.packets_per_second == 1e6);
	CHECK(one.packets_per_second == 0 || two.packets_per_second == 0);
}

int main(void)
{
	weights_hold();
	a_new_lane_takes_flows_and_moves_no_other();
	a_heavier_lane_takes_flows_and_moves_no_other();
	the_rate_is_the_lanes_own();
	only_own_flows_are_sent("\"kind\": \"round-robin\"");
	only_own_flows_are_sent("\"kind\": \"uniform\"");
	only_own_flows_are_sent("\"kind\": \"zipf\", \"exponent\": 4");
	round_robin_passes_each_own_flow_once();
	a_lane_without_flows_sends_nothing();
	return 0;
}
