/* Reading how packets arrive. Whatever the kind, the source's rate is the mean: the rest is shape. */
#include "packets/source_arrivals.h"

#include <string.h>


static const char AT[] = "source.arrivals";

/* No step may be faster than a source can be asked for. */
static int check_peak(const struct scope *scope, const struct arrivals_config *arrivals)
{
	for (uint32_t i = 0; i < arrivals->step_count; i++)
		if (arrivals->steps[i].packets_per_second > RATE_MPPS_MAX * 1e6)
			return refuse(scope, "", "a mean of this rate needs %.4g Mpps at the peak, more than %g; lower the rate or "
				"the peak", arrivals->steps[i].packets_per_second / 1e6, RATE_MPPS_MAX);
	return 0;
}

static int read_steady(const struct scope *scope, const json_t *object, double rate, struct arrivals_config *out)
{
	static const char *const fields[] = {"kind", NULL};

	if (config_object(scope, object, fields) < 0)
		return -1;
	out->steps[0] = (struct rate_step){.seconds = 1, .packets_per_second = rate};
	out->step_count = 1;
	return 0;
}

static int read_on_off(const struct scope *scope, const json_t *object, double rate, struct arrivals_config *out)
{
	static const char *const fields[] = {"kind", "on_ms", "off_ms", NULL};
	double on, off;

	if (config_object(scope, object, fields) < 0 || config_real(scope, object, "on_ms", 1, ON_OFF_MS_MAX, &on) < 0 ||
	    config_real(scope, object, "off_ms", 1, ON_OFF_MS_MAX, &off) < 0)
		return -1;
	out->steps[0] = (struct rate_step){.seconds = on / 1e3, .packets_per_second = rate * (on + off) / on};
	out->steps[1] = (struct rate_step){.seconds = off / 1e3, .packets_per_second = 0};
	out->step_count = 2;
	return 0;
}

static int read_pair(const struct scope *scope, const json_t *list, size_t index, struct rate_step *step)
{
	const json_t *pair = json_array_get(list, index);
	double seconds = json_number_value(json_array_get(pair, 0)), factor = json_number_value(json_array_get(pair, 1));
	char field[32];

	(void)snprintf(field, sizeof(field), "steps.%zu", index);
	if (json_array_size(pair) != 2 || !json_is_number(json_array_get(pair, 0)) ||
	    !json_is_number(json_array_get(pair, 1)) || !(seconds >= 1e-3 && seconds <= TRACE_STEP_S_MAX) ||
	    !(factor >= 0 && factor <= TRACE_FACTOR_MAX))
		return refuse(scope, field, "[seconds, factor] with 0.001 <= seconds <= %g and 0 <= factor <= %g is expected",
			TRACE_STEP_S_MAX, TRACE_FACTOR_MAX);
	*step = (struct rate_step){.seconds = seconds, .packets_per_second = factor};
	return 0;
}

/* Factors are relative to each other: they are scaled so that their mean over time is the rate. */
static int read_trace(const struct scope *scope, const json_t *object, double rate, struct arrivals_config *out)
{
	static const char *const fields[] = {"kind", "steps", NULL};
	const json_t *list = json_object_get(object, "steps");
	double seconds = 0, weighted = 0, mean;

	if (config_object(scope, object, fields) < 0)
		return -1;
	if (json_array_size(list) < 1 || json_array_size(list) > RATE_STEPS_MAX)
		return refuse(scope, "steps", "a list of 1 to %u steps [seconds, factor] is expected", RATE_STEPS_MAX);
	out->step_count = (uint32_t)json_array_size(list);
	for (uint32_t i = 0; i < out->step_count; i++) {
		if (read_pair(scope, list, i, &out->steps[i]) < 0)
			return -1;
		seconds += out->steps[i].seconds;
		weighted += out->steps[i].seconds * out->steps[i].packets_per_second;
	}
	mean = weighted / seconds;
	if (mean <= 0)
		return refuse(scope, "steps", "every factor is 0; at least one step needs a factor above 0");
	for (uint32_t i = 0; i < out->step_count; i++)
		out->steps[i].packets_per_second = rate * (out->steps[i].packets_per_second / mean);
	return 0;
}

int source_arrivals_read(const json_t *source, struct source_config *config, struct error *err)
{
	struct scope scope = {.code = E_BAD_REQUEST, .at = AT, .err = err};
	const json_t *object = json_object_get(source, "arrivals");
	struct arrivals_config *out = &config->arrivals;
	double rate = config->packets_per_second;
	const char *kind;

	out->seed = config->seed;
	if (object == NULL || json_is_null(object)) {
		out->steps[0] = (struct rate_step){.seconds = 1, .packets_per_second = rate};
		out->step_count = 1;
		return 0;
	}
	if (!json_is_object(object))
		return refuse(&scope, "", "an object is expected");
	if (config_string(&scope, object, "kind", 16, &kind) < 0)
		return -1;
	if (strcmp(kind, "poisson") == 0)
		out->kind = ARRIVALS_POISSON;
	if (strcmp(kind, "constant") == 0 || strcmp(kind, "poisson") == 0)
		return read_steady(&scope, object, rate, out);
	if (strcmp(kind, "on-off") == 0)
		return read_on_off(&scope, object, rate, out) < 0 ? -1 : check_peak(&scope, out);
	if (strcmp(kind, "trace") == 0)
		return read_trace(&scope, object, rate, out) < 0 ? -1 : check_peak(&scope, out);
	return refuse(&scope, "kind", "'constant', 'poisson', 'on-off' or 'trace' is expected");
}
