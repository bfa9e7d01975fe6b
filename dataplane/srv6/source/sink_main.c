/*
 * sextant-srv6-sink: receives what sextant-srv6-source sent, wherever the chain ends, at a packet socket that it inherits: what is lost,
 * what changed its order, how long it took. The main thread receives, another answers the control socket (docs/contracts/srv6-traffic.md).
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_log.h"
#include "source/figures.h"
#include "source/program.h"
#include "source/receiver.h"

#define LISTED_MAX 10000U

static const char USAGE[] = "usage: sextant-srv6-sink --fd N --control PATH\n";

static struct sink {
	struct receiver receiver;
	pthread_t worker;
	uint64_t started_ns, socket_full;
} sink;

static json_t *do_hello(struct line_request *request)
{
	json_t *bounds = json_array();

	(void)request;
	for (uint32_t i = 0; i < HISTOGRAM_BOUNDS; i++)
		json_array_append_new(bounds, integer(histogram_bound(i)));
	return json_pack("{s:i, s:s, s:o, s:[s, s, s, s]}", "pid", (int)getpid(), "version", SEXTANT_VERSION, "latency_bounds_ns", bounds,
		"operations", "hello", "query", "flows", "shutdown");
}

static json_t *do_query(struct line_request *request)
{
	const struct receiver *receiver = &sink.receiver;
	uint32_t stream = atomic_load(&receiver->stream);
	json_t *latency = json_array();

	(void)request;
	sink.socket_full += packet_port_lost(&receiver->port);
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		json_array_append_new(latency, figure(&receiver->latency[i]));
	return json_pack("{s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:o}", "uptime_s",
		(double)(now_ns() - sink.started_ns) / 1e9, "stream", stream == STREAM_NONE ? json_null() : integer(stream),
		"delivered", figure(&receiver->delivered), "delivered_bytes", figure(&receiver->delivered_bytes), "lost",
		figure(&receiver->lost), "misordered", figure(&receiver->misordered), "doubled", figure(&receiver->doubled), "damaged",
		figure(&receiver->damaged), "unstamped", figure(&receiver->unstamped), "ahead", figure(&receiver->ahead), "socket_full",
		integer(sink.socket_full), "flows", figure(&receiver->flows), "latency_ns", "min", figure(&receiver->latency_min_ns), "max",
		figure(&receiver->latency_max_ns), "sum", figure(&receiver->latency_sum_ns), "latency_counts", latency, "cpu_ns",
		integer(process_cpu_ns(getpid())), "busy_ns", integer(thread_cpu_ns(sink.worker)));
}

/* Flows of the stream that arrives now, in the order of their numbers, from `first` on. */
static json_t *do_flows(struct line_request *request)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = request->err};
	json_t *list = json_array();
	uint64_t at, most;

	if (config_uint(&scope, request->json, "first", 0, FLOWS_MAX - 1, 0, &at) < 0 ||
	    config_uint(&scope, request->json, "most", 1, LISTED_MAX, 1000, &most) < 0) {
		json_decref(list);
		return NULL;
	}
	for (; at < FLOWS_MAX && json_array_size(list) < most; at++) {
		const struct flow_seen *flow = &sink.receiver.seen[at];
		uint32_t received = atomic_load(&flow->received);

		if (received > 0)
			json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o}", "flow", integer(at), "received", integer(received), "lost",
				integer(atomic_load(&flow->lost)), "misordered", integer(atomic_load(&flow->late))));
	}
	return json_pack("{s:o, s:o}", "flows", list, "next", at < FLOWS_MAX ? integer(at) : json_null());
}

static json_t *do_shutdown(struct line_request *request)
{
	request->ends = true;
	return json_object();
}

static const struct {
	const char *op;
	json_t *(*handle)(struct line_request *request);
} OPERATIONS[] = {{"hello", do_hello}, {"query", do_query}, {"flows", do_flows}, {"shutdown", do_shutdown}};

static json_t *answer(void *argument, struct line_request *request)
{
	(void)argument;
	for (size_t i = 0; i < sizeof(OPERATIONS) / sizeof(OPERATIONS[0]); i++)
		if (strcmp(OPERATIONS[i].op, request->op) == 0)
			return OPERATIONS[i].handle(request);
	(void)fail(request->err, E_UNKNOWN_OP, "op", "hello, query, flows or shutdown is expected");
	return NULL;
}

int main(int argc, char **argv)
{
	struct program_options options;
	struct error err = {0};

	if (program_options_read(argc, argv, &options, &err) < 0) {
		log_error("%s: %s", err.field, err.message);
		(void)fputs(USAGE, stderr);
		return 2;
	}
	sink.started_ns = now_ns();
	sink.worker = pthread_self();
	if (packet_port_open(&sink.receiver.port, options.fd, &err) < 0 || receiver_prepare(&sink.receiver, &err) < 0 ||
	    program_answer(&options, answer, &sink, &err) < 0) {
		log_error("%s: %s", err.field, err.message);
		return 1;
	}
	receiver_run(&sink.receiver);
}
