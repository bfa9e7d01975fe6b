/* The load balancer: Maglev's table by its two promises, what a balanced packet looks like, and changes while it runs. */
#include <stdlib.h>

#include "nf/backend_pool.h"
#include "nf/maglev.h"
#include "packets.h"

#define SIZE 65537U
#define BACKENDS 100U

static uint16_t table[SIZE], other[SIZE];

static json_int_t packets_of(const void *state, const char *backend)
{
	json_t *out = json_object();
	json_int_t value;

	NF_LOAD_BALANCER.describe(state, out);
	value = json_integer_value(json_object_get(json_object_get(out, "backends"), backend));
	json_decref(out);
	return value;
}

static void make_backends(struct maglev_backend *backends, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		backends[i] = (struct maglev_backend){.identity = 0x0ac80001 + i, .weight = 1, .value = (uint16_t)i};
}

static void count_places(const uint16_t *places, uint32_t size, uint32_t *counts)
{
	memset(counts, 0, MAGLEV_BACKENDS_MAX * sizeof(*counts));
	for (uint32_t i = 0; i < size; i++) {
		CHECK(places[i] < MAGLEV_BACKENDS_MAX);
		counts[places[i]]++;
	}
}

/* Turns differ by one at most, so places do: for every number of backends, in tables small and large. */
static void places_are_balanced(void)
{
	static const uint32_t sizes[] = {251, 4093, SIZE};
	struct maglev_backend backends[MAGLEV_BACKENDS_MAX];
	uint32_t counts[MAGLEV_BACKENDS_MAX];

	make_backends(backends, MAGLEV_BACKENDS_MAX);
	for (size_t s = 0; s < 3; s++) {
		for (uint32_t count = 1; count <= 250; count += count < 10 ? 1 : 40) {
			maglev_fill(table, sizes[s], backends, count);
			count_places(table, sizes[s], counts);
			for (uint32_t i = 0; i < count; i++)
				CHECK(counts[i] == sizes[s] / count || counts[i] == sizes[s] / count + 1);
		}
	}
}

/* Weights 1, 2, 3, 4 of a sum of 10: to one place. */
static void places_follow_the_weights(void)
{
	struct maglev_backend backends[4];
	uint32_t counts[MAGLEV_BACKENDS_MAX];

	make_backends(backends, 4);
	for (uint32_t i = 0; i < 4; i++)
		backends[i].weight = i + 1;
	maglev_fill(table, SIZE, backends, 4);
	count_places(table, SIZE, counts);
	for (uint32_t i = 0; i < 4; i++)
		CHECK(abs((int)counts[i] - (int)(SIZE * (i + 1) / 10)) <= 2);
}

/*
 * One of 100 goes: its places must move, the others should not, but a few do (the paper accepts that for the balance).
 * Hashing modulo the number of backends would move 99 % of them.
 */
static void little_moves_when_a_backend_goes(void)
{
	struct maglev_backend backends[BACKENDS];
	uint32_t worst = 0;

	make_backends(backends, BACKENDS);
	maglev_fill(table, SIZE, backends, BACKENDS);
	for (uint32_t gone = 0; gone < BACKENDS; gone += 9) {
		struct maglev_backend left[BACKENDS];
		uint32_t moved = 0;

		memcpy(left, backends, sizeof(left));
		memmove(&left[gone], &left[gone + 1], (BACKENDS - gone - 1) * sizeof(*left));
		maglev_fill(other, SIZE, left, BACKENDS - 1);
		for (uint32_t i = 0; i < SIZE; i++) {
			CHECK(other[i] != gone);
			moved += table[i] != gone && table[i] != other[i];
		}
		worst = moved > worst ? moved : worst;
	}
	(void)fprintf(stderr, "places that moved without need: %.2f %% at worst\n", 100.0 * worst / SIZE);
	CHECK(worst < SIZE / 20);
}

static struct rte_mbuf *to_vip(uint8_t protocol, uint32_t number, uint16_t dst_port)
{
	struct source_config match = {.src = {0x0a000000, 8}, .dst = {0xc0a80000, 16}, .dst_port = dst_port};

	return packet_of(protocol, flow_at(&match, number), number);
}

/* The backend that flow `number` goes to, in host byte order. */
static uint32_t sent_to(void *balancer, uint32_t number)
{
	struct rte_mbuf *made = to_vip(number % 2 == 0 ? IPPROTO_UDP : IPPROTO_TCP, number, 80);
	uint32_t src = ip_of(made)->src_addr, dst;

	CHECK(NF_LOAD_BALANCER.process(balancer, &made, 1) == 1);
	checksums_hold(made);
	CHECK(ip_of(made)->src_addr == src);
	dst = ntohl(ip_of(made)->dst_addr);
	CHECK(memcmp(&rte_pktmbuf_mtod(made, struct rte_ether_hdr *)->dst_addr.addr_bytes[2], &ip_of(made)->dst_addr, 4) == 0);
	rte_pktmbuf_free(made);
	return dst;
}

#define TWO "{\"address\": \"10.200.0.1\"}, {\"address\": \"10.200.0.2\"}"
#define THREE TWO ", {\"address\": \"10.200.0.3\", \"weight\": 2}"

/* 10,000 flows, weights 1, 1, 2: shares within 5 % of a half and two quarters (six standard deviations of a fair draw). */
static void packets_are_spread_by_weight(void)
{
	void *balancer = open_nf(&NF_LOAD_BALANCER, "{\"backends\": [" THREE "], \"table_size\": 4093}");
	void *turned = open_nf(&NF_LOAD_BALANCER, "{\"backends\": [{\"address\": \"10.200.0.3\", \"weight\": 2}, " TWO "], "
		"\"table_size\": 4093}");

	for (uint32_t i = 0; i < 10000; i++) {
		uint32_t backend = sent_to(balancer, i);

		CHECK(backend >= 0x0ac80001 && backend <= 0x0ac80003);
		if (i < 100)
			CHECK(sent_to(balancer, i) == backend && sent_to(turned, i) == backend); /* the order given is no matter */
	}
	CHECK(llabs(packets_of(balancer, "10.200.0.1") - 2525) < 250);
	CHECK(llabs(packets_of(balancer, "10.200.0.2") - 2525) < 250);
	CHECK(llabs(packets_of(balancer, "10.200.0.3") - 5050) < 250);
	NF_LOAD_BALANCER.close(balancer);
	NF_LOAD_BALANCER.close(turned);
}

/* For the vip are packets 0 and 3; 1 has another port, 2 another protocol, 4 another address; 5 is a fragment for it. */
static void only_what_is_for_the_vip_is_touched(void)
{
	void *balancer = open_nf(&NF_LOAD_BALANCER,
		"{\"vip_prefix\": \"192.168.0.0/16\", \"protocol\": \"udp\", \"port\": 80, \"backends\": [" TWO "]}");
	struct rte_mbuf *packets[] = {to_vip(IPPROTO_UDP, 1, 80), to_vip(IPPROTO_UDP, 1, 81), to_vip(IPPROTO_TCP, 1, 80),
		to_vip(IPPROTO_UDP, 2, 80), udp_to(0x08080808, 80), to_vip(IPPROTO_UDP, 3, 80)};
	uint8_t before[6][64];

	ip_of(packets[5])->fragment_offset = htons(RTE_IPV4_HDR_MF_FLAG);
	for (int i = 0; i < 6; i++)
		memcpy(before[i], rte_pktmbuf_mtod(packets[i], void *), 64);
	CHECK(NF_LOAD_BALANCER.process(balancer, packets, 6) == 0x1f);
	for (int i = 0; i < 5; i++)
		CHECK((memcmp(before[i], rte_pktmbuf_mtod(packets[i], void *), 64) == 0) == (i == 1 || i == 2 || i == 4));
	CHECK(figure(&NF_LOAD_BALANCER, balancer, "unmatched_packets") == 3);
	CHECK(figure(&NF_LOAD_BALANCER, balancer, "unbalanceable_packets") == 1);
	CHECK(NF_LOAD_BALANCER.process(balancer, packets, 1) == 1); /* it is for a backend now: sent once is sent */
	CHECK(figure(&NF_LOAD_BALANCER, balancer, "unmatched_packets") == 4);
	rte_pktmbuf_free_bulk(packets, 6);
	NF_LOAD_BALANCER.close(balancer);
}

static int configure(void *balancer, const char *config, const char *field)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "config", .err = &err};
	json_t *json = json_loads(config, 0, NULL);
	int status;

	CHECK(json != NULL);
	status = NF_LOAD_BALANCER.configure(balancer, json, &scope);
	json_decref(json);
	CHECK((status < 0) == (field != NULL) && (field == NULL || strcmp(err.field, field) == 0));
	return status;
}

#define FLOWS 2000U

/* The third backend goes and comes back: with a connection table, those of the other two never move. */
static void connections_stay_while_backends_change(uint32_t places)
{
	static uint32_t first[FLOWS];
	static const char with[] = "{\"backends\": [%s], \"table_size\": 251, \"connection_table_entries\": %u}";
	char two[256], three[256];
	uint32_t of_third = 0, moved = 0;
	void *balancer;

	(void)snprintf(two, sizeof(two), with, TWO, places);
	(void)snprintf(three, sizeof(three), with, THREE, places);
	balancer = open_nf(&NF_LOAD_BALANCER, three);
	for (uint32_t i = 0; i < FLOWS; i++) {
		first[i] = sent_to(balancer, i);
		of_third += first[i] == 0x0ac80003;
	}
	CHECK(configure(balancer, two, NULL) == 0 && packets_of(balancer, "10.200.0.3") == 0);
	for (uint32_t i = 0; i < FLOWS; i++) {
		uint32_t now = sent_to(balancer, i);

		CHECK(now == 0x0ac80001 || now == 0x0ac80002);
		moved += first[i] != 0x0ac80003 && now != first[i];
		first[i] = now;
	}
	CHECK((moved == 0) == (places > 0) && moved < FLOWS / 4);
	CHECK(configure(balancer, three, NULL) == 0);
	for (moved = 0; moved < FLOWS && sent_to(balancer, moved) == first[moved];)
		moved++;
	CHECK((moved == FLOWS) == (places > 0)); /* nobody moves back to the third; new flows go there */
	CHECK(figure(&NF_LOAD_BALANCER, balancer, "connections") == (places > 0 ? FLOWS : 0));
	CHECK(figure(&NF_LOAD_BALANCER, balancer, "moved_connections") == (places > 0 ? of_third : 0));
	NF_LOAD_BALANCER.close(balancer);
}

/*
 * Twice as many slots as backends: every change of all of them finds slots. Packets come in every second round only: then
 * the slots that the connections remember hold other backends, which are not theirs.
 */
static void slots_are_used_again(void)
{
	void *balancer = open_nf(&NF_LOAD_BALANCER,
		"{\"backends\": [{\"address\": \"10.9.0.0\"}], \"connection_table_entries\": 64}");

	for (uint32_t round = 0; round < 20; round++) {
		json_t *list = json_array(), *config = json_pack("{s:o, s:i}", "backends", list, "connection_table_entries", 64);
		char *text, address[32];

		for (uint32_t i = 0; i < BACKENDS_MAX; i++) {
			(void)snprintf(address, sizeof(address), "10.%u.1.%u", round, i);
			json_array_append_new(list, json_pack("{s:s}", "address", address));
		}
		text = json_dumps(config, 0);
		CHECK(configure(balancer, text, NULL) == 0);
		free(text);
		json_decref(config);
		for (uint32_t i = 0; i < 50 && round % 2 == 0; i++)
			CHECK(sent_to(balancer, i) >> 16 == (10U << 8 | round));
	}
	CHECK(figure(&NF_LOAD_BALANCER, balancer, "moved_connections") == 9 * 50);
	NF_LOAD_BALANCER.close(balancer);
}

/* 64 places: the others are balanced by the table alone, and counted. */
static void a_full_connection_table_never_drops(void)
{
	void *balancer = open_nf(&NF_LOAD_BALANCER, "{\"backends\": [" TWO "], \"connection_table_entries\": 64}");

	for (uint32_t round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 100; i++)
			(void)sent_to(balancer, i);
	CHECK(figure(&NF_LOAD_BALANCER, balancer, "connections") == 64);
	CHECK(figure(&NF_LOAD_BALANCER, balancer, "untracked_packets") == 2 * 36);
	NF_LOAD_BALANCER.close(balancer);
}

static void it_refuses(void)
{
	void *balancer = open_nf(&NF_LOAD_BALANCER, "{\"backends\": [" TWO "]}");

	CHECK(configure(balancer, "{\"backends\": [" TWO "], \"table_size\": 251}", "config") < 0);
	CHECK(configure(balancer, "{\"backends\": []}", "config.backends") < 0);
	CHECK(sent_to(balancer, 1) != 0);
	NF_LOAD_BALANCER.close(balancer);
	refuses(&NF_LOAD_BALANCER, "{}", ".backends");
	refuses(&NF_LOAD_BALANCER, "{\"backends\": [{}]}", ".backends.0.address");
	refuses(&NF_LOAD_BALANCER, "{\"backends\": [{\"address\": \"10.0.0.0/8\"}]}", ".backends.0.address");
	refuses_why(&NF_LOAD_BALANCER, "{\"backends\": [" TWO ", {\"address\": \"10.200.0.1\"}]}", E_BAD_CONFIG,
		".backends.2.address", "backend 0");
	refuses_why(&NF_LOAD_BALANCER, "{\"backends\": [{\"address\": \"192.168.1.1\"}]}", E_BAD_CONFIG, ".backends.0.address",
		"outside vip_prefix");
	refuses(&NF_LOAD_BALANCER, "{\"backends\": [{\"address\": \"10.0.0.1\", \"weight\": 0}]}", ".backends.0.weight");
	refuses(&NF_LOAD_BALANCER, "{\"backends\": [" TWO "], \"table_size\": 250}", ".table_size");
	refuses(&NF_LOAD_BALANCER, "{\"backends\": [" TWO "], \"port\": 0}", ".port");
	refuses(&NF_LOAD_BALANCER, "{\"backends\": [" TWO "], \"protocol\": \"icmp\"}", ".protocol");
	refuses(&NF_LOAD_BALANCER, "{\"backends\": [" TWO "], \"connection_table_entries\": 5}", ".connection_table_entries");
	refuses(&NF_LOAD_BALANCER, "{\"backends\": [" TWO "], \"idle_timeout_s\": 0}", ".idle_timeout_s");
	refuses(&NF_LOAD_BALANCER, "{\"backends\": [" TWO "], \"health\": 1}", ".health");
}

/* 200 of weight 100 fill the 251 places before the one of weight 1 has its turn. */
static void a_backend_without_a_place_is_refused(void)
{
	json_t *list = json_array(), *config = json_pack("{s:o, s:i}", "backends", list, "table_size", 251);
	char *text, address[32];

	for (int i = 0; i < 201; i++) {
		(void)snprintf(address, sizeof(address), "10.0.0.%d", i);
		json_array_append_new(list, json_pack("{s:s, s:i}", "address", address, "weight", i == 0 ? 1 : 100));
	}
	text = json_dumps(config, 0);
	refuses_why(&NF_LOAD_BALANCER, text, E_BAD_CONFIG, ".table_size", "entries are too few");
	free(text);
	json_decref(config);
}

int main(int argc, char **argv)
{
	(void)argc;
	packets_start(argv[0]);
	places_are_balanced();
	places_follow_the_weights();
	little_moves_when_a_backend_goes();
	packets_are_spread_by_weight();
	only_what_is_for_the_vip_is_touched();
	connections_stay_while_backends_change(0);
	connections_stay_while_backends_change(4096);
	slots_are_used_again();
	a_full_connection_table_never_drops();
	it_refuses();
	a_backend_without_a_place_is_refused();
	packets_end();
	return 0;
}
