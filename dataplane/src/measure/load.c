#include "measure/load.h"

#include <rte_cycles.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "nf/registry.h"
#include "packets/source_reader.h"

static const char *const LOAD_FIELDS[] = {"type", "config", "source", "core", NULL};

/* The runner's source; without a rate the loop is closed. */
static int read_source(const json_t *object, struct load *load, struct error *err)
{
	json_t *source = json_copy(json_object_get(object, "source"));
	const json_t *rate = json_object_get(source, "rate_mpps");
	struct error inner = {0};
	int status = 0;

	if (!json_is_object(source)) {
		status = fail(&inner, E_BAD_REQUEST, "source", "an object is expected");
	} else if (rate != NULL && !load->may_have_rate) {
		status = fail(&inner, E_BAD_REQUEST, "source.rate_mpps", "a closed loop has no rate; remove it");
	} else if (rate != NULL && json_number_value(rate) < PACE_LEAST_MPPS) {
		status = fail(&inner, E_BAD_REQUEST, "source.rate_mpps", "a number of at least %g is expected", PACE_LEAST_MPPS);
	} else if (json_object_get(source, "arrivals") != NULL) {
		status = fail(&inner, E_BAD_REQUEST, "source.arrivals", "a closed loop has no arrivals; remove them");
	} else {
		if (rate == NULL)
			(void)json_object_set_new(source, "rate_mpps", json_integer(0));
		status = source_config_read(source, &load->traffic, &inner);
	}
	json_decref(source);
	if (status < 0) {
		char field[ERROR_FIELD_MAX];

		(void)snprintf(field, sizeof(field), "%.40s.%.110s", load->at, inner.field);
		return fail(err, inner.code, field, "%s", inner.message);
	}
	return 0;
}

static int check_core(const struct load *load, struct error *err)
{
	char field[ERROR_FIELD_MAX];
	cpu_set_t allowed;

	CPU_ZERO(&allowed);
	(void)sched_getaffinity(0, sizeof(allowed), &allowed);
	if (load->core < CPU_SETSIZE && CPU_ISSET((size_t)load->core, &allowed))
		return 0;
	(void)snprintf(field, sizeof(field), "%s.core", load->at);
	return fail(err, E_CORE, field, "core %d is outside the CPU affinity of this process; choose another", load->core);
}

int load_read(const json_t *object, struct load *load, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = load->at, .err = err};
	const char *type;
	uint64_t core;

	if (config_object(&scope, object, LOAD_FIELDS) < 0 || config_string(&scope, object, "type", 64, &type) < 0 ||
	    config_uint(&scope, object, "core", 0, INT32_MAX, REQUIRED, &core) < 0)
		return -1;
	load->type = nf_type_find(type);
	if (load->type == NULL)
		return refuse(&scope, "type", "this runner has no NF type '%.64s'; 'hello' lists those it has", type);
	load->config = json_object_get(object, "config");
	if (!json_is_object(load->config))
		return refuse(&scope, "config", "an object is expected");
	load->core = (int)core;
	if (check_core(load, err) < 0)
		return -1;
	return read_source(object, load, err);
}

int load_open(struct load *load, struct rte_mempool *pool, uint32_t number, struct error *err)
{
	char at[ERROR_FIELD_MAX], tag[24];
	struct scope scope = {.code = E_BAD_CONFIG, .at = at, .err = err};

	(void)snprintf(at, sizeof(at), "%s.config", load->at);
	(void)snprintf(tag, sizeof(tag), "m%u", number);
	load->state = load->type->open(load->config, &scope, tag);
	if (load->state == NULL)
		return fail(err, E_START_FAILED, at, "the NF's tables could not be built");
	if (rte_pktmbuf_alloc_bulk(pool, load->packets, LOAD_PACKETS) != 0)
		return fail(err, E_NO_ROOM, load->at, "no memory for its %u packets; use fewer NFs", LOAD_PACKETS);
	load->work = load->type->process;
	if (load->traffic.packets_per_second > 0)
		load->pace.ticks = (uint64_t)(BURST * (double)rte_get_tsc_hz() / load->traffic.packets_per_second);
	packet_source_start(&load->source, &load->traffic);
	return 0;
}

static void write_packet(struct load *load, struct rte_mbuf *packet)
{
	rte_pktmbuf_reset(packet); /* an NF may have moved its start or changed its length */
	packet->pkt_len = packet_source_write(&load->source, load->sequence++, rte_pktmbuf_mtod(packet, uint8_t *));
	packet->data_len = (uint16_t)packet->pkt_len;
}

static struct rte_mbuf **write_burst(struct load *load)
{
	struct rte_mbuf **burst = load->packets + load->next_packet;

	for (uint32_t i = 0; i < BURST; i++)
		write_packet(load, burst[i]);
	load->next_packet = (load->next_packet + BURST) % LOAD_PACKETS;
	return burst;
}

void load_build(struct load *load)
{
	(void)write_burst(load);
}

void load_warm(struct load *load)
{
	if (load->primitive)
		load->work = load->type->primitive;
}

uint64_t load_burst(struct load *load)
{
	struct rte_mbuf *burst[BURST];
	uint64_t started;

	memcpy(burst, write_burst(load), sizeof(burst)); /* its own list: the NF may reorder it */
	/* Fenced: at some ten cycles a packet, stores of the writing would else be counted as the NF's. */
	started = rte_rdtsc_precise();
	(void)load->work(load->state, burst, BURST);
	return rte_rdtsc_precise() - started;
}
