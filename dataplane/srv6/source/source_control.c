#include "source/source_control.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/figures.h"

/* `spec` is kept where it is taken up. */
static int take_up(struct source_control *control, json_t *spec, bool same_packets, struct error *err)
{
	struct change *change = calloc(1, sizeof(*change));

	if (change == NULL)
		return fail(err, E_NO_ROOM, "", "no memory");
	if (stamped_config_read(spec, &change->config, err) < 0) {
		free(change);
		return -1;
	}
	if (!same_packets) {
		change->source = stamped_source_make(&change->config, (uint16_t)(control->stream + 1));
		if (change->source == NULL) {
			(void)fail(err, E_NO_ROOM, "source.flows", "no memory for %u flows; send fewer", change->config.flows);
			free(change);
			return -1;
		}
		control->stream++;
	}
	sender_change(&control->sender, change);
	json_decref(control->spec);
	control->spec = json_incref(spec);
	return 0;
}

int source_control_start(struct source_control *control, json_t *spec, struct error *err)
{
	return take_up(control, spec, false, err);
}

static json_t *do_hello(struct source_control *control, struct line_request *request)
{
	(void)request;
	return json_pack("{s:i, s:s, s:i, s:[s, s, s, s, s]}", "pid", (int)getpid(), "version", SEXTANT_VERSION, "mtu",
		(int)control->sender.port.mtu, "operations", "hello", "query", "set_rate", "set_source", "shutdown");
}

static json_t *do_query(struct source_control *control, struct line_request *request)
{
	const struct sender *sender = &control->sender;
	const bool settled = sender_is_settled(sender); /* before the counts: at rate 0 these are the last, then */

	(void)request;
	return json_pack("{s:f, s:i, s:O, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "uptime_s",
		(double)(now_ns() - control->started_ns) / 1e9, "stream", (int)control->stream, "rate_mpps",
		json_object_get(control->spec, "rate_mpps"), "settled", (int)settled, "offered", figure(&sender->offered), "sent",
		figure(&sender->sent), "sent_bytes", figure(&sender->sent_bytes), "source_drops", figure(&sender->source_drops), "unsent",
		figure(&sender->unsent), "cpu_ns", integer(process_cpu_ns(getpid())), "busy_ns", integer(thread_cpu_ns(control->worker)));
}

/* All else goes on: the same flows, each with its next number. */
static json_t *do_set_rate(struct source_control *control, struct line_request *request)
{
	json_t *spec = json_copy(control->spec);
	int taken;

	if (json_object_set(spec, "rate_mpps", json_object_get(request->json, "rate_mpps")) < 0)
		json_object_set_new(spec, "rate_mpps", json_null()); /* absent: refused below as what it is */
	taken = take_up(control, spec, true, request->err);
	json_decref(spec);
	return taken < 0 ? NULL : json_object();
}

static json_t *do_set_source(struct source_control *control, struct line_request *request)
{
	json_t *spec = json_deep_copy(json_object_get(request->json, "source"));
	int taken = take_up(control, spec, false, request->err);

	json_decref(spec);
	return taken < 0 ? NULL : json_pack("{s:i}", "stream", (int)control->stream);
}

static json_t *do_shutdown(struct source_control *control, struct line_request *request)
{
	(void)control;
	request->ends = true;
	return json_object();
}

static const struct {
	const char *op;
	json_t *(*handle)(struct source_control *control, struct line_request *request);
} OPERATIONS[] = {{"hello", do_hello}, {"query", do_query}, {"set_rate", do_set_rate}, {"set_source", do_set_source},
	{"shutdown", do_shutdown}};

json_t *source_control_answer(void *argument, struct line_request *request)
{
	for (size_t i = 0; i < sizeof(OPERATIONS) / sizeof(OPERATIONS[0]); i++)
		if (strcmp(OPERATIONS[i].op, request->op) == 0)
			return OPERATIONS[i].handle(argument, request);
	(void)fail(request->err, E_UNKNOWN_OP, "op", "hello, query, set_rate, set_source or shutdown is expected");
	return NULL;
}
