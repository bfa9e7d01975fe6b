#include "shell/control.h"

#include <rte_cycles.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/eventcount.h"
#include "base/process.h"

static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *figure(const counter *value)
{
	return integer(counter_read(value));
}

/*
 * CPU time of the thread that works on packets. It sleeps in the kernel while none come, so there is no polling to leave out.
 */
static uint64_t busy_ns(const struct shell *shell)
{
	struct timespec used;
	clockid_t clock;

	if (pthread_getcpuclockid(shell->worker, &clock) != 0 || clock_gettime(clock, &used) != 0)
		return 0;
	return (uint64_t)used.tv_sec * 1000000000ULL + (uint64_t)used.tv_nsec;
}

static json_t *details(const struct work *work)
{
	json_t *out = json_object();

	if (work->type->describe != NULL)
		work->type->describe(work->state, out);
	return out;
}

static json_t *do_hello(struct shell *shell, struct line_request *request)
{
	(void)request;
	return json_pack("{s:i, s:o, s:s, s:s, s:o, s:i, s:[s, s, s, s]}", "pid", (int)getpid(), "start_time",
		integer(process_start_time(getpid())), "version", SEXTANT_VERSION, "type", shell->work.type->name, "tsc_hz",
		integer(rte_get_tsc_hz()), "mtu", (int)shell->work.port.mtu, "operations", "hello", "query", "configure_nf", "shutdown");
}

static json_t *do_query(struct shell *shell, struct line_request *request)
{
	const struct work_counters *counters = &shell->work.counters;
	uint64_t malformed = counter_read(&counters->malformed), too_large = counter_read(&counters->too_large),
		waited = counter_read(&counters->waited), unsent = counter_read(&counters->unsent);

	(void)request;
	shell->lost += packet_port_lost(&shell->work.port);
	return json_pack("{s:f, s:o, s:s, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o}, s:o, s:o, s:o, s:o, s:o, s:o}", "uptime_s",
		(double)(now_ns() - shell->started_ns) / 1e9, "tsc_hz", integer(rte_get_tsc_hz()), "type", shell->work.type->name,
		"rx", figure(&counters->rx), "tx", figure(&counters->tx), "drops", integer(shell->lost + malformed + too_large + waited + unsent),
		"drop_causes", "socket_full", integer(shell->lost), "malformed", integer(malformed), "too_large", integer(too_large),
		"waited", integer(waited), "unsent", integer(unsent), "filtered", figure(&counters->filtered), "foreign", figure(&counters->foreign),
		"cycles", figure(&counters->cycles), "cpu_ns", integer(process_cpu_ns(getpid())), "busy_ns", integer(busy_ns(shell)),
		"details", details(&shell->work));
}

static json_t *do_configure(struct shell *shell, struct line_request *request)
{
	struct scope scope = {.code = E_BAD_CONFIG, .at = "config", .err = request->err};
	const struct nf_type *type = shell->work.type;

	if (type->configure == NULL) {
		(void)fail(request->err, E_BAD_REQUEST, "", "an NF of type %s cannot change while it runs; start another", type->name);
		return NULL;
	}
	return type->configure(shell->work.state, json_object_get(request->json, "config"), &scope) < 0 ? NULL : json_object();
}

static json_t *do_shutdown(struct shell *shell, struct line_request *request)
{
	(void)shell;
	request->ends = true;
	return json_object();
}

static const struct {
	const char *op;
	json_t *(*handle)(struct shell *shell, struct line_request *request);
} OPERATIONS[] = {{"hello", do_hello}, {"query", do_query}, {"configure_nf", do_configure}, {"shutdown", do_shutdown}};

json_t *shell_answer(void *argument, struct line_request *request)
{
	for (size_t i = 0; i < sizeof(OPERATIONS) / sizeof(OPERATIONS[0]); i++)
		if (strcmp(OPERATIONS[i].op, request->op) == 0)
			return OPERATIONS[i].handle(argument, request);
	(void)fail(request->err, E_UNKNOWN_OP, "op", "hello, query, configure_nf or shutdown is expected");
	return NULL;
}
