/* The NIDS on crafted packets: what matches, what does not, what is refused and why. */
#include <fcntl.h>
#include <unistd.h>

#include "base/artefact.h"
#include "payload_packets.h"

#define DIGEST "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define FROM_FILE "{\"synthetic_patterns\": 0, \"patterns_file\": \"sha256:" DIGEST "\"}"

static char folder[] = "/tmp/sextant-nids-XXXXXX";

static struct rte_mbuf *udp_with(const char *text)
{
	return packet_with(IPPROTO_UDP, 53, text, (uint32_t)strlen(text));
}

static void write_file(const char *bytes, size_t size)
{
	char path[128];
	int file;

	(void)snprintf(path, sizeof(path), "%s/" DIGEST, folder);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(file >= 0 && write(file, bytes, size) == (ssize_t)size && close(file) == 0);
}

static const char *message_of_refusal(const char *config, char message[ERROR_TEXT_MAX])
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "nfs.0.config", .err = &err};
	json_t *json = json_loads(config, 0, NULL);

	CHECK(json != NULL && NF_NIDS.open(json, &scope, "refused") == NULL);
	json_decref(json);
	(void)fprintf(stderr, "refused as it should be: %s: %s\n", err.field, err.message);
	(void)snprintf(message, ERROR_TEXT_MAX, "%s", err.message);
	return message;
}

/* A word anywhere, a class with a repeat, one that ignores case; the last packet has nothing of it. */
static void matches_are_dropped(void)
{
	void *nids = open_nf(&NF_NIDS, "{\"patterns\": [\"attack\", \"id=[0-9]{3,5};\", \"(?i)select.+from\"], "
		"\"synthetic_patterns\": 100, \"action\": \"drop\"}");
	struct rte_mbuf *packets[] = {udp_with("an attack here"), udp_with("id=12;"), udp_with("id=123;"),
		packet_with(IPPROTO_TCP, 80, "SELECT * FROM users", 19), udp_with("nothing of it")};

	CHECK(NF_NIDS.process(nids, packets, 5) == 0x12);
	CHECK(figure(&NF_NIDS, nids, "patterns") == 103);
	CHECK(figure(&NF_NIDS, nids, "scanned_packets") == 5 && figure(&NF_NIDS, nids, "matched_packets") == 3);
	rte_pktmbuf_free_bulk(packets, 5);
	NF_NIDS.close(nids);
}

static void an_alert_passes_on_and_is_counted(void)
{
	void *nids = open_nf(&NF_NIDS, "{\"patterns\": [\"first\", \"second\"], \"synthetic_patterns\": 0}");
	struct rte_mbuf *packets[] = {udp_with("second"), udp_with("first"), udp_with("second")};
	json_t *out = json_object(), *expected = json_pack("[{s:s, s:i}, {s:s, s:i}]", "pattern", "patterns.1", "packets", 2,
		"pattern", "patterns.0", "packets", 1);

	CHECK(NF_NIDS.process(nids, packets, 3) == 7);
	NF_NIDS.describe(nids, out);
	CHECK(json_equal(json_object_get(out, "most_matched"), expected));
	json_decref(out);
	json_decref(expected);
	rte_pktmbuf_free_bulk(packets, 3);
	NF_NIDS.close(nids);
}

/* The pattern stands in what is no IPv4, beyond the packet's end, or in a fragment: that is no payload. */
static void only_the_payload_is_scanned(void)
{
	void *nids = open_nf(&NF_NIDS, "{\"patterns\": [\"attack\"], \"synthetic_patterns\": 0, \"action\": \"drop\"}");
	struct rte_mbuf *packets[] = {udp_with("attack"), udp_with("attack"), udp_with("attack"), udp_with("attack")};

	rte_pktmbuf_mtod(packets[0], struct rte_ether_hdr *)->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV6);
	ip_of(packets[1])->total_length = rte_cpu_to_be_16(20 + 8 + 5);
	ip_of(packets[2])->fragment_offset = rte_cpu_to_be_16(7);
	CHECK(NF_NIDS.process(nids, packets, 4) == 7);
	CHECK(figure(&NF_NIDS, nids, "unscanned_packets") == 2 && figure(&NF_NIDS, nids, "scanned_bytes") == 5 + 22);
	rte_pktmbuf_free_bulk(packets, 4);
	NF_NIDS.close(nids);
}

/* Broken lengths: each packet goes on or is skipped, none is read past its end. */
static void crooked_lengths_do_no_harm(void)
{
	void *nids = open_nf(&NF_NIDS, "{\"patterns\": [\"attack\"]}");

	for (uint32_t length = 0; length < 70; length++) {
		struct rte_mbuf *packets[] = {packet_with(IPPROTO_TCP, 80, "attack", 6), udp_with("attack")};

		ip_of(packets[0])->version_ihl = (uint8_t)(0x40 | length % 16);
		ip_of(packets[1])->total_length = rte_cpu_to_be_16((uint16_t)length);
		rte_pktmbuf_mtod(packets[0], uint8_t *)[46] = (uint8_t)(length << 4); /* TCP's data offset */
		CHECK(NF_NIDS.process(nids, packets, 2) == 3);
		rte_pktmbuf_free_bulk(packets, 2);
	}
	NF_NIDS.close(nids);
}

static void another_process_counts_on(void)
{
	void *nids = open_nf(&NF_NIDS, "{\"patterns\": [\"attack\"]}");
	struct rte_mbuf *packet = udp_with("attack");

	process_in_a_child(&NF_NIDS, nids, packet, 3);
	process_in_a_child(&NF_NIDS, nids, packet, 4);
	CHECK(figure(&NF_NIDS, nids, "matched_packets") == 7);
	rte_pktmbuf_free(packet);
	NF_NIDS.close(nids);
}

static void nothing_to_look_for_passes_all(void)
{
	void *nids = open_nf(&NF_NIDS, "{\"synthetic_patterns\": 0, \"action\": \"drop\"}");
	struct rte_mbuf *packet = udp_with("attack");

	CHECK(NF_NIDS.process(nids, &packet, 1) == 1 && figure(&NF_NIDS, nids, "matched_packets") == 0);
	rte_pktmbuf_free(packet);
	NF_NIDS.close(nids);
}

static void a_file_is_read_line_by_line(void)
{
	static const char text[] = "# comment\n\nattack\r\n#none\nwor[mk]";
	struct rte_mbuf *packets[] = {udp_with("attack"), udp_with("a worm"), udp_with("# comment #none")};
	json_t *out = json_object();
	void *nids;

	write_file(text, strlen(text));
	nids = open_nf(&NF_NIDS, FROM_FILE);
	CHECK(NF_NIDS.process(nids, packets, 3) == 7 && figure(&NF_NIDS, nids, "matched_packets") == 2);
	NF_NIDS.describe(nids, out);
	CHECK(strcmp(json_string_value(json_object_get(json_array_get(json_object_get(out, "most_matched"), 0), "pattern")),
		"line 3") == 0);
	json_decref(out);
	rte_pktmbuf_free_bulk(packets, 3);
	NF_NIDS.close(nids);
}

static void a_bad_file_is_refused_with_its_line(void)
{
	char message[ERROR_TEXT_MAX], long_line[600];

	write_file("good\n\n(unclosed\n", 16);
	refuses(&NF_NIDS, FROM_FILE, ".patterns_file");
	CHECK(strstr(message_of_refusal(FROM_FILE, message), "line 3: the pattern '(unclosed' is refused: ") != NULL);
	write_file("good\n\xff\xfe(\n", 9); /* what is shown is plain ASCII */
	CHECK(strstr(message_of_refusal(FROM_FILE, message), "line 2: the pattern '\\xff\\xfe('") != NULL);
	write_file("good\nba\0d\n", 10);
	CHECK(strstr(message_of_refusal(FROM_FILE, message), "line 2 contains a zero byte") != NULL);
	memset(long_line, 'x', sizeof(long_line));
	write_file(long_line, sizeof(long_line));
	CHECK(strstr(message_of_refusal(FROM_FILE, message), "longer than 512 bytes") != NULL);
}

/* Hyperscan itself refuses what grows without bound; what only takes very long is ended, and this process lives on. */
static void a_pattern_that_explodes_is_refused(void)
{
	char message[ERROR_TEXT_MAX], *config;
	json_t *list = json_array(), *json;

	(void)message_of_refusal("{\"patterns\": [\"((a{1,300}b?){1,300}c?){1,300}\"], \"synthetic_patterns\": 0}", message);
	CHECK(strstr(message_of_refusal("{\"patterns\": [\"x\", \"a{2000}\"]}", message), "longer than any packet") != NULL);
	for (int i = 0; i < 200; i++) /* 0.17 s each on a core of 2022 */
		json_array_append_new(list, json_string("a.{1,200}b.{1,200}c.{1,200}d"));
	json = json_pack("{s:o, s:i}", "patterns", list, "synthetic_patterns", 0);
	config = json_dumps(json, 0);
	(void)message_of_refusal(config, message);
	CHECK(strstr(message, "takes more than 4 s or 1 GiB to compile") != NULL || strstr(message, "too busy to compile") != NULL);
	free(config);
	json_decref(json);
	nothing_to_look_for_passes_all();
}

static void the_nids_refuses(void)
{
	refuses(&NF_NIDS, "{\"patterns\": \"x\"}", ".patterns");
	refuses(&NF_NIDS, "{\"patterns\": [\"a\", 7]}", ".patterns.1");
	refuses(&NF_NIDS, "{\"patterns\": [\"a\", \"\"]}", ".patterns.1");
	refuses(&NF_NIDS, "{\"patterns\": [\"a\", \"b*\"]}", ".patterns.1"); /* matches everything */
	refuses(&NF_NIDS, "{\"patterns\": [\"(a)\\\\1\"]}", ".patterns.0"); /* back-references are beyond Hyperscan */
	refuses(&NF_NIDS, "{\"action\": \"deny\"}", ".action");
	refuses(&NF_NIDS, "{\"synthetic_patterns\": 5001}", ".synthetic_patterns");
	refuses(&NF_NIDS, "{\"patterns\": [\"a\"], \"synthetic_patterns\": 5000}", "");
	refuses(&NF_NIDS, "{\"patterns_file\": \"sha256:00\"}", ".patterns_file");
	refuses(&NF_NIDS, "{\"speed\": 1}", ".speed");
}

int main(int argc, char **argv)
{
	char path[128];

	(void)argc;
	CHECK(mkdtemp(folder) != NULL);
	artefact_folder(folder);
	packets_start(argv[0]);
	matches_are_dropped();
	an_alert_passes_on_and_is_counted();
	only_the_payload_is_scanned();
	crooked_lengths_do_no_harm();
	another_process_counts_on();
	nothing_to_look_for_passes_all();
	a_file_is_read_line_by_line();
	a_bad_file_is_refused_with_its_line();
	a_pattern_that_explodes_is_refused();
	the_nids_refuses();
	(void)snprintf(path, sizeof(path), "%s/" DIGEST, folder);
	CHECK(unlink(path) == 0 && rmdir(folder) == 0);
	packets_end();
	return 0;
}
