/* The decoder: a packet written out, and every shorter one. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "decode/decode.h"
#include "decode/print.h"

static const uint8_t PACKET[] = {
	0x60, 0x01, 0x23, 0x45, 0x00, 0x50, 0x2b, 0x3f,                               /* flow label 0x12345, payload 80, hop limit 63 */
	0xfc, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,                             /* from fc00:0:1:: */
	0xfc, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0e,                          /* to fc00:0:2::e */
	0x04, 0x05, 0x04, 0x00, 0x01, 0x01, 0x00, 0x07,                               /* IPv4 inside, none left of 2, tag 7 */
	0xfc, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x0e,                          /* entry 0: the last segment */
	0, 3, 0x20, 0x05, 0, 0, 0x03, 0xe8, 0, 0, 0x4e, 0x20, 0, 0, 0, 0x2a,           /* entry 1: measured */
	0x84, 0x06, 0x00, 0x1d, 0x00, 0x00, 0x04, 0xd2,
};
static const char JSON[] =
	"{\"tag\": 7, \"flow_label\": 74565, \"source\": \"fc00:0:1::\", \"destination\": \"fc00:0:2::e\", \"hop_limit\": 63, "
	"\"segments_left\": 0, \"inner\": \"ipv4\", \"collected\": [\"device\", \"in-time\", \"nf-latency\", \"port-counter\"], "
	"\"detection_result_ns\": 1234, \"path\": [{\"kind\": \"metadata\", \"device\": 3, \"in_time_us\": 1000, "
	"\"nf_latency_ns\": 20000, \"port_counter\": 42}, {\"kind\": \"segment\", \"sid\": \"fc00:0:2::e\"}]";

static void reads_what_is_written(void)
{
	struct srv6_headers headers;
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	CHECK(srv6_decode(PACKET, sizeof(PACKET), &headers) == NULL);
	CHECK(headers.bytes == 88 && headers.entries[1].metadata.queue == 2 && headers.entries[1].metadata.queue_length == 5);
	CHECK(to != NULL);
	srv6_print(to, &headers);
	CHECK(fclose(to) == 0 && strcmp(text, JSON) == 0);
	free(text);
}

static void refuses_what_is_shorter(void)
{
	struct srv6_headers headers;

	for (size_t size = 0; size < sizeof(PACKET); size++) {
		uint8_t *copy = malloc(size == 0 ? 1 : size);

		CHECK(copy != NULL);
		memcpy(copy, PACKET, size);
		CHECK(srv6_decode(copy, size, &headers) != NULL);
		free(copy);
	}
}

static void refuses_what_is_absurd(void)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} changes[] = {{0, 0x40}, {5, 0}, {6, 17}, {40, 6}, {41, 0xff}, {41, 4}, {42, 0}, {43, 2}, {43, 255}, {44, 255}, {44, 8}, {44, 0},
		{45, 0}, {39, 0x0f}, {80, 0}, {81, 2}};
	struct srv6_headers headers;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		uint8_t copy[sizeof(PACKET)];

		memcpy(copy, PACKET, sizeof(copy));
		copy[changes[i].at] = changes[i].byte;
		CHECK(changes[i].at == 5 ? copy[4] == 0 : 1);
		CHECK(srv6_decode(copy, sizeof(copy), &headers) != NULL);
	}
}

int main(void)
{
	reads_what_is_written();
	refuses_what_is_shorter();
	refuses_what_is_absurd();
	return 0;
}
