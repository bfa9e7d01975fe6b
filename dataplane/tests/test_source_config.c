/* Reading an untrusted source: what each kind becomes, and what is refused with its field. */
#include <math.h>
#include <string.h>

#include "base/artefact.h"
#include "check.h"
#include "packets/source_reader.h"

#define PLAIN "\"rate_mpps\": 0.1, \"packet_bytes\": 64, \"flows\": 10, \"match\": {\"src_prefix\": \"10.0.0.0/8\", " \
	"\"dst_prefix\": \"192.168.0.0/16\", \"protocol\": \"udp\"}"

static int read_it(const char *extra, struct source_config *config, struct error *err)
{
	char text[8192];
	json_t *json;
	int answer;

	(void)snprintf(text, sizeof(text), "{" PLAIN ", %s}", extra);
	json = json_loads(text, 0, NULL);
	CHECK(json != NULL);
	answer = source_config_read(json, config, err);
	json_decref(json);
	return answer;
}

static struct source_config reads(const char *extra)
{
	struct source_config config;
	struct error err = {0};

	if (read_it(extra, &config, &err) < 0) {
		(void)fprintf(stderr, "%s: %s: %s\n", extra, err.field, err.message);
		exit(1);
	}
	return config;
}

static void refuses(const char *extra, const char *field)
{
	struct source_config config;
	struct error err = {0};

	CHECK(read_it(extra, &config, &err) == -1);
	(void)fprintf(stderr, "refused as it should be: %s: %s\n", err.field, err.message);
	CHECK(strcmp(err.field, field) == 0);
}

static void left_out_it_is_the_plain_source(void)
{
	struct source_config config = reads("\"sizes\": null, \"arrivals\": null, \"flow_distribution\": null, "
		"\"payload\": null, \"pcap\": null");

	CHECK(config.size_count == 0 && config.packet_bytes == 64 && config.flow_distribution == FLOWS_ROUND_ROBIN);
	CHECK(config.payload.kind == PAYLOAD_ZERO && config.replay == NULL && config.seed == 1);
	CHECK(config.arrivals.kind == ARRIVALS_EVEN && config.arrivals.step_count == 1);
	CHECK(config.arrivals.steps[0].packets_per_second == 1e5);
}

static void each_kind_of_packets_is_read(void)
{
	struct source_config config = reads("\"sizes\": {\"kind\": \"imix\"}, \"seed\": 9");

	CHECK(config.size_count == 3 && config.sizes[1].bytes == 594 && config.sizes[1].weight == 4 && config.seed == 9);
	config = reads("\"sizes\": {\"kind\": \"fixed\", \"bytes\": 512}");
	CHECK(config.size_count == 0 && config.packet_bytes == 512);
	config = reads("\"sizes\": {\"kind\": \"list\", \"entries\": [[100, 1], [1518, 3]]}");
	CHECK(config.size_count == 2 && config.sizes[1].bytes == 1518 && config.sizes[1].weight == 3);
	config = reads("\"flow_distribution\": {\"kind\": \"zipf\", \"exponent\": 1.1}");
	CHECK(config.flow_distribution == FLOWS_ZIPF && config.zipf_exponent == 1.1);
	CHECK(reads("\"flow_distribution\": {\"kind\": \"uniform\"}").flow_distribution == FLOWS_UNIFORM);
	CHECK(reads("\"payload\": {\"kind\": \"random\"}").payload.kind == PAYLOAD_RANDOM);
	config = reads("\"payload\": {\"kind\": \"matches\", \"percent\": 5, \"strings\": [\"evil\", \"na\\u00efve\"]}");
	CHECK(config.payload.kind == PAYLOAD_MATCHES && fabs(config.payload.match_share - 0.05) < 1e-12);
	CHECK(config.payload.match_count == 2 && config.payload.matches[1].length == 6); /* bytes of UTF-8 */
	CHECK(memcmp(config.payload.matches[1].bytes, "na\xc3\xafve", 6) == 0);
}

/* The rate, 0.1 Mpps, stays the mean. */
static void each_kind_of_arrivals_has_the_rate_as_its_mean(void)
{
	struct arrivals_config arrivals = reads("\"arrivals\": {\"kind\": \"poisson\"}, \"seed\": 4").arrivals;

	CHECK(arrivals.kind == ARRIVALS_POISSON && arrivals.steps[0].packets_per_second == 1e5 && arrivals.seed == 4);
	/* on for 1 of 4 ms: 4 times the rate */
	arrivals = reads("\"arrivals\": {\"kind\": \"on-off\", \"on_ms\": 1, \"off_ms\": 3}").arrivals;
	CHECK(arrivals.kind == ARRIVALS_EVEN && arrivals.step_count == 2);
	CHECK(fabs(arrivals.steps[0].packets_per_second - 4e5) < 1e-6 && arrivals.steps[1].packets_per_second == 0);
	CHECK(arrivals.steps[0].seconds == 1e-3 && arrivals.steps[1].seconds == 3e-3);
	/* 10 s at 1 and 5 s at 4: 30 in 15 s, a mean of 2; so half and twice the rate */
	arrivals = reads("\"arrivals\": {\"kind\": \"trace\", \"steps\": [[10, 1], [5, 4]]}").arrivals;
	CHECK(arrivals.step_count == 2 && fabs(arrivals.steps[0].packets_per_second - 5e4) < 1e-6);
	CHECK(fabs(arrivals.steps[1].packets_per_second - 2e5) < 1e-6);
}

static void what_is_wrong_is_named(void)
{
	refuses("\"sizes\": \"imix\"", "source.sizes");
	refuses("\"sizes\": {\"kind\": \"jumbo\"}", "source.sizes.kind");
	refuses("\"sizes\": {\"kind\": \"imix\", \"bytes\": 64}", "source.sizes.bytes");
	refuses("\"sizes\": {\"kind\": \"fixed\", \"bytes\": 9000}", "source.sizes.bytes");
	refuses("\"sizes\": {\"kind\": \"list\", \"entries\": []}", "source.sizes.entries");
	refuses("\"sizes\": {\"kind\": \"list\", \"entries\": [[64, 1], [63, 1]]}", "source.sizes.entries.1");
	refuses("\"sizes\": {\"kind\": \"list\", \"entries\": [[64, 0]]}", "source.sizes.entries.0");
	refuses("\"sizes\": {\"kind\": \"list\", \"entries\": [[64, 1, 1]]}", "source.sizes.entries.0");
	refuses("\"sizes\": {\"kind\": \"list\", \"entries\": [[64, 1],[64, 1],[64, 1],[64, 1],[64, 1],[64, 1],[64, 1],[64, 1],"
		"[64, 1],[64, 1],[64, 1],[64, 1],[64, 1],[64, 1],[64, 1],[64, 1],[64, 1]]}", "source.sizes.entries");
	refuses("\"arrivals\": {}", "source.arrivals.kind");
	refuses("\"arrivals\": {\"kind\": \"pareto\"}", "source.arrivals.kind");
	refuses("\"arrivals\": {\"kind\": \"poisson\", \"mean\": 1}", "source.arrivals.mean");
	refuses("\"arrivals\": {\"kind\": \"on-off\", \"on_ms\": 0.5, \"off_ms\": 3}", "source.arrivals.on_ms");
	refuses("\"arrivals\": {\"kind\": \"on-off\", \"on_ms\": 1}", "source.arrivals.off_ms");
	/* 0.1 Mpps in 1 of 10,001 ms would be 1000.1 Mpps */
	refuses("\"arrivals\": {\"kind\": \"on-off\", \"on_ms\": 1, \"off_ms\": 10000}", "source.arrivals");
	refuses("\"arrivals\": {\"kind\": \"trace\", \"steps\": []}", "source.arrivals.steps");
	refuses("\"arrivals\": {\"kind\": \"trace\", \"steps\": [[1, 1], [0, 1]]}", "source.arrivals.steps.1");
	refuses("\"arrivals\": {\"kind\": \"trace\", \"steps\": [[1, -1]]}", "source.arrivals.steps.0");
	refuses("\"arrivals\": {\"kind\": \"trace\", \"steps\": [[1, 0]]}", "source.arrivals.steps");
	refuses("\"arrivals\": {\"kind\": \"trace\", \"steps\": [[3600, 0], [0.001, 1]]}", "source.arrivals");
	refuses("\"flow_distribution\": {\"kind\": \"normal\"}", "source.flow_distribution.kind");
	refuses("\"flow_distribution\": {\"kind\": \"zipf\"}", "source.flow_distribution.exponent");
	refuses("\"flow_distribution\": {\"kind\": \"zipf\", \"exponent\": 0}", "source.flow_distribution.exponent");
	refuses("\"flow_distribution\": {\"kind\": \"uniform\", \"exponent\": 1}", "source.flow_distribution.exponent");
	refuses("\"payload\": {\"kind\": \"matches\", \"percent\": 101, \"strings\": [\"evil\"]}", "source.payload.percent");
	refuses("\"payload\": {\"kind\": \"matches\", \"percent\": 1, \"strings\": []}", "source.payload.strings");
	refuses("\"payload\": {\"kind\": \"matches\", \"percent\": 1, \"strings\": [\"abc\"]}", "source.payload.strings.0");
	refuses("\"seed\": -1", "source.seed");
	refuses("\"seed\": 4294967296", "source.seed");
}

/* 64 bytes less 14 + 20 + 8 of headers leave 22: of the smallest size that is sent. */
static void a_string_must_fit_the_smallest_packet(void)
{
	(void)reads("\"payload\": {\"kind\": \"matches\", \"percent\": 1, \"strings\": [\"twenty-two-characters-\"]}");
	refuses("\"payload\": {\"kind\": \"matches\", \"percent\": 1, \"strings\": [\"evil\", \"twenty-three-characters\"]}",
		"source.payload.strings.1");
	refuses("\"sizes\": {\"kind\": \"list\", \"entries\": [[1518, 1], [64, 1], [512, 1]]}, \"payload\": {\"kind\": "
		"\"matches\", \"percent\": 1, \"strings\": [\"twenty-three-characters\"]}", "source.payload.strings.0");
	(void)reads("\"sizes\": {\"kind\": \"list\", \"entries\": [[1518, 1], [65, 1]]}, \"payload\": {\"kind\": "
		"\"matches\", \"percent\": 1, \"strings\": [\"twenty-three-characters\"]}");
}

static void a_capture_stands_alone(void)
{
	refuses("\"pcap\": {\"file\": null}", "source.pcap.file");
	refuses("\"pcap\": {\"file\": \"capture.pcap\"}", "source.pcap.file");
	refuses("\"pcap\": {\"file\": \"sha256:" "0000000000000000000000000000000000000000000000000000000000000000\"}",
		"source.pcap.file"); /* no --artefacts */
	refuses("\"pcap\": {\"file\": null, \"timing\": \"fast\"}", "source.pcap.timing");
	refuses("\"pcap\": {\"path\": \"/etc/passwd\"}", "source.pcap.path");
	refuses("\"pcap\": {}, \"payload\": {\"kind\": \"random\"}", "source.payload");
	refuses("\"pcap\": {}, \"sizes\": {\"kind\": \"imix\"}", "source.sizes");
}

static void lanes_are_read_and_bounded(void)
{
	struct source_config config = reads("\"lane\": {\"number\": 1, \"weights\": [16]}");

	CHECK(config.lane.divides && config.packets_per_second == 1e5); /* the only lane has every flow */
	CHECK(!reads("\"lane\": null").lane.divides);
	refuses("\"lane\": 1", "source.lane");
	refuses("\"lane\": {\"number\": 1, \"weights\": []}", "source.lane.weights");
	refuses("\"lane\": {\"number\": 1, \"weights\": [1, 1, 1, 1, 1, 1, 1, 1, 1]}", "source.lane.weights");
	refuses("\"lane\": {\"number\": 1, \"weights\": [1, 0]}", "source.lane.weights.1");
	refuses("\"lane\": {\"number\": 1, \"weights\": [17]}", "source.lane.weights.0");
	refuses("\"lane\": {\"number\": 1, \"weights\": [1.5]}", "source.lane.weights.0");
	refuses("\"lane\": {\"number\": 0, \"weights\": [1]}", "source.lane.number");
	refuses("\"lane\": {\"number\": 2, \"weights\": [1]}", "source.lane.number");
	refuses("\"lane\": {\"number\": 1, \"weights\": [1], \"of\": \"web\"}", "source.lane.of");
	refuses("\"pcap\": {\"file\": null}, \"lane\": {\"number\": 1, \"weights\": [1]}", "source.lane");
}

int main(void)
{
	left_out_it_is_the_plain_source();
	each_kind_of_packets_is_read();
	each_kind_of_arrivals_has_the_rate_as_its_mean();
	what_is_wrong_is_named();
	a_string_must_fit_the_smallest_packet();
	a_capture_stands_alone();
	lanes_are_read_and_bounded();
	return 0;
}
