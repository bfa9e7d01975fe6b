/* Routes and rules that come as files: what they mean, what is refused and with which line. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/artefact.h"
#include "base/eventcount.h"
#include "packets.h"

#define DIGITS "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define FILE_IS "\"sha256:" DIGITS "\""

static char folder[] = "/tmp/sextant-files-XXXXXX";
static char path[128];

static void write_bytes(const void *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	CHECK(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void write_text(const char *text)
{
	write_bytes(text, strlen(text));
}

static uint8_t hop_of(void *router, uint32_t dst)
{
	struct rte_mbuf *packets[] = {udp_to(dst, 53)};
	uint32_t kept = NF_ROUTER.process(router, packets, 1);
	uint8_t hop = rte_pktmbuf_mtod(packets[0], struct rte_ether_hdr *)->dst_addr.addr_bytes[5];

	rte_pktmbuf_free(packets[0]);
	return kept == 0 ? 255 : hop; /* 255 in these tests: no route */
}

/* The file comes after the list, and of one prefix the last route stays; order of lengths does not matter. */
static void routes_come_from_a_file(void)
{
	void *router;

	write_text("# a comment\n192.168.7.9/32 3\n\n  192.168.0.0/16\t 1 # hop 1\r\n192.168.7.0/24 2\n10.0.0.0/8 5\n"
		"192.168.7.8/31 6");
	router = open_nf(&NF_ROUTER, "{\"routes\": [{\"prefix\": \"10.0.0.0/8\", \"next_hop\": 4}, "
		"{\"prefix\": \"11.0.0.0/8\", \"next_hop\": 7}], \"routes_file\": " FILE_IS ", "
		"\"default_next_hop\": null, \"synthetic_routes\": 0}");
	CHECK(hop_of(router, 0xc0a80101) == 1 && hop_of(router, 0xc0a80701) == 2);
	CHECK(hop_of(router, 0xc0a80709) == 3 && hop_of(router, 0xc0a80708) == 6);
	CHECK(hop_of(router, 0x0a000001) == 5 && hop_of(router, 0x0b000001) == 7 && hop_of(router, 0x0c000001) == 255);
	NF_ROUTER.close(router);
}

struct reference {
	uint32_t address;
	uint8_t length, hop;
};

/* Longest first, and of one length the last: the definition, at the cost of looking at every route. */
static uint8_t reference_hop(const struct reference *routes, uint32_t count, uint32_t address)
{
	uint8_t hop = 255, longest = 0;

	for (uint32_t i = 0; i < count; i++) {
		if ((address & prefix_mask(routes[i].length)) != routes[i].address || routes[i].length < longest)
			continue;
		longest = routes[i].length;
		hop = routes[i].hop;
	}
	return hop;
}

/* 2000 routes that overlap at random, in random order: every lookup gives what the definition gives. */
static void random_routes_agree_with_the_definition(void)
{
	enum { ROUTES = 2000 };
	static struct reference routes[ROUTES];
	uint64_t random = nf_seed(4);
	FILE *file = fopen(path, "we");
	void *router;

	CHECK(file != NULL);
	for (int i = 0; i < ROUTES; i++) {
		uint8_t length = (uint8_t)(1 + nf_random(&random) % 32);
		uint32_t near = 0x0a000000U | (nf_random(&random) & 0x3ff); /* most of them nest */

		routes[i] = (struct reference){.length = length, .hop = (uint8_t)(nf_random(&random) % 200),
			.address = (length < 8 ? nf_random(&random) : near) & prefix_mask(length)};
		(void)fprintf(file, "%u.%u.%u.%u/%u %u\n", routes[i].address >> 24, routes[i].address >> 16 & 255,
			routes[i].address >> 8 & 255, routes[i].address & 255, length, routes[i].hop);
	}
	CHECK(fclose(file) == 0);
	router = open_nf(&NF_ROUTER, "{\"routes_file\": " FILE_IS ", \"default_next_hop\": null, \"synthetic_routes\": 0}");
	for (uint32_t i = 0; i < 2048; i++) {
		uint32_t address = i < 1200 ? 0x0a000000U + i : nf_random(&random);

		CHECK(hop_of(router, address) == reference_hop(routes, ROUTES, address));
	}
	NF_ROUTER.close(router);
}

static void a_million_routes_are_read(void)
{
	FILE *file = fopen(path, "we");
	uint64_t started;
	void *router;

	CHECK(file != NULL);
	for (uint32_t i = 0; i < 1000000; i++) /* 20.0.0.0/24, 20.0.1.0/24, ... 35.66.63.0/24 */
		(void)fprintf(file, "%u.%u.%u.0/24 %u\n", 20 + (i >> 16), i >> 8 & 255, i & 255, i % 200);
	CHECK(fclose(file) == 0);
	started = now_ns();
	router = open_nf(&NF_ROUTER, "{\"routes_file\": " FILE_IS ", \"synthetic_routes\": 0, \"default_next_hop\": null}");
	(void)fprintf(stderr, "a million routes: %" PRIu64 " ms\n", (now_ns() - started) / 1000000);
	CHECK(hop_of(router, 0x14000001) == 0 && hop_of(router, 0x14010203) == 0x102 % 200);
	CHECK(hop_of(router, 0x23423fff) == 999999 % 200 && hop_of(router, 0x23424000) == 255);
	NF_ROUTER.close(router);
	file = fopen(path, "ae");
	CHECK(file != NULL && fprintf(file, "1.0.0.0/8 1\n") > 0 && fclose(file) == 0);
	refuses_why(&NF_ROUTER, "{\"routes_file\": " FILE_IS "}", E_BAD_CONFIG, ".routes_file", "line 1000001: a table has 1000000");
}

static void malformed_routes_are_refused(void)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{"10.0.0.0/8 1\n10.0.0.0/8\n", "line 2: a prefix and a next hop"},
		{"\n#\n10.0.0.0/33 1\n", "line 3: an IPv4 prefix"},
		{"10.0.0.0/8 1 2\n", "line 1: the next hop"},
		{"10.0.0.0/8 -1\n", "line 1: the next hop"},
		{"10.0.0.0/8 65536\n", "line 1: the next hop"},
		{"10.0.0.0/8 99999999999999999999999\n", "line 1: the next hop"},
		{"10.0.0/8 1\n", "line 1: an IPv4 prefix"},
		{"\xff\xfe\x80 1\n", "line 1: an IPv4 prefix"},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		write_text(files[i].text);
		refuses_why(&NF_ROUTER, "{\"routes_file\": " FILE_IS "}", E_BAD_CONFIG, ".routes_file", files[i].why);
	}
	write_bytes("10.0.0.0/8 1\n11.0.0.0/8 1\n12\0.0.0.0/8 1\n", 40);
	refuses_why(&NF_ROUTER, "{\"routes_file\": " FILE_IS "}", E_BAD_CONFIG, ".routes_file", "line 3: it contains a zero byte");
	refuses_why(&NF_ROUTER, "{\"routes_file\": \"routes.txt\"}", E_BAD_CONFIG, ".routes_file", "is not a digest");
	CHECK(truncate(path, (32 << 20) + 1) == 0);
	refuses_why(&NF_ROUTER, "{\"routes_file\": " FILE_IS "}", E_BAD_CONFIG, ".routes_file", "at most 33554432");
}

/* Rule 0 is of the list, so it goes before those of the file. */
static void rules_come_from_a_file(void)
{
	struct rte_mbuf *packets[] = {udp_to(0xc0a80701, 53), udp_to(0xc0a80702, 53), udp_to(0xc0a80702, 54), udp_to(1, 1)};
	void *firewall;

	write_text("# two rules\n{\"action\": \"deny\", \"dst\": \"192.168.7.0/24\", \"dst_port\": [53, 53]}\n\n"
		"  {\"action\": \"deny\", \"dst\": \"0.0.0.1/32\"}  # the last\r\n");
	firewall = open_nf(&NF_FIREWALL, "{\"rules\": [{\"action\": \"allow\", \"dst\": \"192.168.7.1/32\"}], \"rules_file\": "
		FILE_IS "}");
	CHECK(NF_FIREWALL.process(firewall, packets, 4) == 0x5);
	NF_FIREWALL.close(firewall);
	write_text("# nothing\n");
	firewall = open_nf(&NF_FIREWALL, "{\"rules_file\": " FILE_IS ", \"synthetic_rules\": 0}");
	CHECK(NF_FIREWALL.process(firewall, packets, 4) == 0xf);
	NF_FIREWALL.close(firewall);
	rte_pktmbuf_free_bulk(packets, 4);
}

static void malformed_rules_are_refused(void)
{
	static const struct {
		const char *text, *why;
	} files[] = {
		{"{\"action\": \"deny\"}\n{\"action\": \"drop\"}\n", "line 2: action: 'allow' or 'deny'"},
		{"{\"action\": \"deny\"\n", "line 1: a JSON object"},
		{"[1]\n", "line 1: a JSON object"},
		{"\n{\"action\": \"deny\", \"action\": \"allow\"}\n", "line 2: a JSON object"},
		{"{\"action\": \"deny\", \"dst_port\": [2, 1]}\n", "line 1: dst_port: [first, last]"},
		{"{\"action\": \"deny\", \"src\": \"300.0.0.0/8\"}\n", "line 1: src: an IPv4 prefix"},
		{"{\"action\": \"deny\", \"proto\": \"udp\"}\n", "line 1: proto: there is no such field"},
		{"deny all\n", "line 1: a JSON object"},
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		write_text(files[i].text);
		refuses_why(&NF_FIREWALL, "{\"rules_file\": " FILE_IS "}", E_BAD_CONFIG, ".rules_file", files[i].why);
	}
}

static void write_denials(uint32_t count)
{
	FILE *file = fopen(path, "we");
	uint64_t random = nf_seed(9);

	CHECK(file != NULL);
	for (uint32_t i = 0; i < count; i++)
		(void)fprintf(file, "{\"action\": \"deny\", \"dst\": \"10.%u.%u.%u/32\", \"protocol\": \"tcp\", \"dst_port\": [%u, %u]}\n",
			i >> 16, i >> 8 & 255, i & 255, 80U, 80U + nf_random(&random) % 2);
	CHECK(fclose(file) == 0);
}

static void many_rules_are_read(void)
{
	uint64_t started;
	void *firewall;

	write_denials(20000);
	started = now_ns();
	firewall = open_nf(&NF_FIREWALL, "{\"rules_file\": " FILE_IS "}");
	(void)fprintf(stderr, "20000 rules: %" PRIu64 " ms\n", (now_ns() - started) / 1000000);
	NF_FIREWALL.close(firewall);
	write_denials(20001);
	refuses_why(&NF_FIREWALL, "{\"rules_file\": " FILE_IS "}", E_BAD_CONFIG, ".rules_file", "line 20001: a table has 20000");
}

int main(int argc, char **argv)
{
	(void)argc;
	packets_start(argv[0]);
	CHECK(mkdtemp(folder) != NULL);
	(void)snprintf(path, sizeof(path), "%s/" DIGITS, folder);
	artefact_folder(folder);
	routes_come_from_a_file();
	random_routes_agree_with_the_definition();
	a_million_routes_are_read();
	malformed_routes_are_refused();
	rules_come_from_a_file();
	malformed_rules_are_refused();
	many_rules_are_read();
	CHECK(unlink(path) == 0 && rmdir(folder) == 0);
	packets_end();
	return 0;
}
