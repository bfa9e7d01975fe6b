#include <netinet/in.h>
#include <string.h>

#include "check.h"
#include "packets/source_reader.h"

static struct error refusal(const char *text)
{
	struct source_config config;
	struct error err = {0};
	json_t *json = json_loads(text, 0, NULL);

	CHECK(json != NULL);
	CHECK(source_config_read(json, &config, &err) == -1);
	CHECK(strcmp(err.code, E_BAD_REQUEST) == 0 && err.message[0] != '\0');
	json_decref(json);
	return err;
}

#define MATCH "\"match\": {\"src_prefix\": \"10.0.0.0/8\", \"dst_prefix\": \"192.168.0.0/16\", \"protocol\": \"udp\"}"
#define REFUSES(text, at) CHECK(strcmp(refusal(text).field, at) == 0)

static void a_good_source_is_read(void)
{
	struct source_config config;
	struct error err = {0};
	json_t *json = json_loads("{\"rate_mpps\": 0.5, \"packet_bytes\": 128, \"flows\": 7, \"match\": {\"src_prefix\": "
		"\"10.1.2.3/8\", \"dst_prefix\": \"1.2.3.4\", \"protocol\": \"tcp\", \"dst_port\": null}}", 0, NULL);

	CHECK(source_config_read(json, &config, &err) == 0);
	CHECK(config.packets_per_second == 500000 && config.packet_bytes == 128 && config.flows == 7);
	CHECK(config.src.address == 0x0a000000 && config.src.length == 8);
	CHECK(config.dst.address == 0x01020304 && config.dst.length == 32);
	CHECK(config.protocol == IPPROTO_TCP && config.dst_port == 0);
	json_decref(json);
}

static void refusals_name_the_field(void)
{
	REFUSES("[]", "source");
	REFUSES("{\"rate_mpps\": -1, \"packet_bytes\": 64, \"flows\": 1, " MATCH "}", "source.rate_mpps");
	REFUSES("{\"rate_mpps\": 1e9, \"packet_bytes\": 64, \"flows\": 1, " MATCH "}", "source.rate_mpps");
	REFUSES("{\"rate_mpps\": \"1\", \"packet_bytes\": 64, \"flows\": 1, " MATCH "}", "source.rate_mpps");
	REFUSES("{\"rate_mpps\": 1, \"packet_bytes\": 63, \"flows\": 1, " MATCH "}", "source.packet_bytes");
	REFUSES("{\"rate_mpps\": 1, \"packet_bytes\": 64.0, \"flows\": 1, " MATCH "}", "source.packet_bytes");
	REFUSES("{\"rate_mpps\": 1, \"packet_bytes\": 64, \"flows\": 0, " MATCH "}", "source.flows");
	REFUSES("{\"rate_mpps\": 1, \"packet_bytes\": 64, \"flows\": 1}", "source.match");
	REFUSES("{\"rate_mpps\": 1, \"packet_bytes\": 64, \"flows\": 1, \"speed\": 1, " MATCH "}", "source.speed");
}

static void refuse_match(const char *src, const char *protocol, const char *rest, const char *at)
{
	char text[512];

	(void)snprintf(text, sizeof(text), "{\"rate_mpps\": 1, \"packet_bytes\": 64, \"flows\": 100000, \"match\": "
		"{\"src_prefix\": %s, \"dst_prefix\": \"10.0.0.1/32\", \"protocol\": %s%s}}", src, protocol, rest);
	CHECK(strcmp(refusal(text).field, at) == 0);
}

static void a_match_is_checked(void)
{
	static const char *const prefixes[] = {"7", "\"\"", "\"10.0.0.0/33\"", "\"10.0.0.0/\"", "\"10.0.0.0/8x\"",
		"\"10.0.0/8\"", "\"10.0.0.0/-1\"", "\"1000000000000000000000000000.0.0.0/8\""};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		refuse_match(prefixes[i], "\"udp\"", "", "source.match.src_prefix");
	refuse_match("\"2001:db8::/32\"", "\"udp\"", "", "source.match.dst_prefix"); /* that one is of IPv4 */
	refuse_match("\"10.0.0.0/8\"", "\"icmp\"", "", "source.match.protocol");
	refuse_match("\"10.0.0.0/8\"", "\"any\"", "", "source.match.protocol");
	refuse_match("\"10.0.0.0/8\"", "\"udp\"", ", \"dst_port\": 0", "source.match.dst_port");
	refuse_match("\"10.0.0.0/8\"", "\"udp\"", ", \"dst_port\": 65536", "source.match.dst_port");
	/* one address each and one port: 64512 source ports are all the flows there can be, 100,000 are asked */
	refuse_match("\"10.0.0.0/32\"", "\"udp\"", ", \"dst_port\": 53", "source.flows");
}

static void names_are_plain(void)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_REQUEST, .at = "nfs.0", .err = &err};
	json_t *json = json_pack("{s:s, s:s}", "good", "web.router-2", "bad", "a/b");
	const char *name;

	CHECK(config_name(&scope, json, "good", 20, &name) == 0 && strcmp(name, "web.router-2") == 0);
	CHECK(config_name(&scope, json, "good", 11, &name) == -1 && strcmp(err.field, "nfs.0.good") == 0);
	err.code = NULL;
	CHECK(config_name(&scope, json, "bad", 20, &name) == -1 && strcmp(err.field, "nfs.0.bad") == 0);
	json_decref(json);
}

static void true_and_false_are_no_numbers(void)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = &err};
	json_t *json = json_pack("{s:b, s:i}", "yes", 1, "one", 1);
	bool found = false;

	CHECK(config_bool(&scope, json, "yes", false, &found) == 0 && found);
	CHECK(config_bool(&scope, json, "absent", true, &found) == 0 && found);
	CHECK(config_bool(&scope, json, "one", false, &found) == -1 && strcmp(err.field, "one") == 0);
	json_decref(json);
}

int main(void)
{
	a_good_source_is_read();
	refusals_name_the_field();
	a_match_is_checked();
	names_are_plain();
	true_and_false_are_no_numbers();
	return 0;
}
