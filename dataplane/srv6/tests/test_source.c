/* Packets with stamps: sound ones of the asked flows, read as they were written, and from no frame that was cut short. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "source/sender.h"
#include "source/stamped_source.h"

#define PACKETS 2000U

static const char IPV4[] = "\"match\": {\"src_prefix\": \"10.0.0.0/8\", \"dst_prefix\": \"192.168.0.0/16\", \"protocol\": \"udp\"}";
static const char IPV6[] = "\"match\": {\"src_prefix\": \"2001:db8::/48\", \"dst_prefix\": \"fd00::/64\", \"protocol\": \"tcp\"}";

static int read_config(const char *fields, const char *match, struct source_config *config, struct error *err)
{
	char text[1024];
	json_t *json;
	int done;

	(void)snprintf(text, sizeof(text), "{\"rate_mpps\": 0.01, \"flows\": 10, %s, %s}", fields, match);
	json = json_loads(text, 0, NULL);
	CHECK(json != NULL);
	done = stamped_config_read(json, config, err);
	json_decref(json);
	return done;
}

static void refuses(const char *fields, const char *match, const char *field)
{
	struct source_config config;
	struct error err = {0};

	CHECK(read_config(fields, match, &config, &err) < 0);
	(void)fprintf(stderr, "refused as it should be: %s: %s\n", err.field, err.message);
	CHECK(strcmp(err.field, field) == 0);
}

/* Cut to any length it has no stamp, and nothing is read behind it. */
static void is_none_when_cut(const uint8_t *frame, uint32_t length)
{
	struct stamp stamp;

	for (uint32_t cut = 0; cut < length; cut++) {
		uint8_t *copy = malloc(cut + 1);

		CHECK(copy != NULL);
		memcpy(copy, frame, cut);
		CHECK(!stamp_read(copy, cut, &stamp));
		free(copy);
	}
}

static void carries_stamps(const char *fields, const char *match)
{
	uint32_t next[10] = {0}, length = 0;
	uint8_t frame[PACKET_BYTES_MAX];
	struct source_config config;
	struct stamped_source *source;
	struct error err = {0};

	CHECK(read_config(fields, match, &config, &err) == 0);
	source = stamped_source_make(&config, 77);
	CHECK(source != NULL);
	for (uint32_t i = 0; i < PACKETS; i++) {
		struct stamp stamp;

		length = stamped_source_write(source, 1234567890123456789ULL + i, frame);
		CHECK(frame_is_sound(frame, length) && stamp_read(frame, length, &stamp));
		CHECK(stamp.stream == 77 && stamp.at_ns == 1234567890123456789ULL + i && stamp.flow < 10);
		CHECK(stamp.sequence == next[stamp.flow]++);
	}
	for (uint32_t i = 0; i < 10; i++)
		CHECK(next[i] > 0);
	is_none_when_cut(frame, length);
	frame[length - 1] ^= 1;
	CHECK(!frame_is_sound(frame, length)); /* the payload counts in the checksum */
	stamped_source_free(source);
}

/* As the sending thread does, by a clock that only it moves. */
static void deadlines_follow_the_rate(const char *arrivals, double packets_per_second)
{
	struct arrivals_config config = {.step_count = 1, .seed = 1};
	struct arrivals state;
	uint64_t now = 1000, sent = 0, wakes = 0;
	double strayed;

	config.kind = strcmp(arrivals, "poisson") == 0 ? ARRIVALS_POISSON : ARRIVALS_EVEN;
	config.steps[0] = (struct rate_step){1, packets_per_second};
	arrivals_start(&state, &config, 1000000000ULL, now);
	for (; now < 10000000000ULL; wakes++) {
		uint64_t deadline = sender_deadline(&state);

		CHECK(deadline >= now + 100000 && deadline <= now + 10000000);
		now = deadline;
		sent += arrivals_advance(&state, now);
	}
	/* Even: but for what falls due after the last deadline. Poisson: within five standard deviations. */
	strayed = fabs((double)sent - packets_per_second * 10);
	CHECK(strayed <= (config.kind == ARRIVALS_POISSON ? 5 * sqrt(packets_per_second * 10) : 1 + packets_per_second * 0.01));
	CHECK(wakes <= 100001);
	CHECK(config.kind == ARRIVALS_POISSON || packets_per_second < 200 || (double)wakes <= packets_per_second * 10 + 2);
}

int main(void)
{
	payload_pool_fill();
	carries_stamps("\"packet_bytes\": 64", IPV4);
	carries_stamps("\"packet_bytes\": 333, \"flow_distribution\": {\"kind\": \"uniform\"}", IPV6);
	carries_stamps("\"packet_bytes\": 64, \"sizes\": {\"kind\": \"imix\"}, \"payload\": {\"kind\": \"random\"}", IPV4);
	carries_stamps("\"packet_bytes\": 101, \"payload\": {\"kind\": \"matches\", \"percent\": 50, \"strings\": [\"attack\"]}", IPV6);
	refuses("\"packet_bytes\": 80", IPV6, "source.packet_bytes");
	refuses("\"packet_bytes\": 64, \"sizes\": {\"kind\": \"list\", \"entries\": [[93, 1], [500, 1]]}", IPV6, "source.sizes");
	refuses("\"packet_bytes\": 64, \"payload\": {\"kind\": \"matches\", \"percent\": 5, \"strings\": [\"attack\"]}", IPV4, "source.packet_bytes");
	refuses("\"packet_bytes\": 64, \"pcap\": {\"file\": \"sha256:0\"}", IPV4, "source.pcap");
	for (int poisson = 0; poisson < 2; poisson++)
		for (double rate = 50; rate < 2e6; rate *= 7)
			deadlines_follow_the_rate(poisson ? "poisson" : "even", rate);
	return 0;
}
