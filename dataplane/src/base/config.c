#include "base/config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int refuse(const struct scope *scope, const char *field, const char *format, ...)
{
	char path[ERROR_FIELD_MAX], text[ERROR_TEXT_MAX];
	const char *dot = scope->at[0] != '\0' && field[0] != '\0' ? "." : "";
	va_list args;

	(void)snprintf(path, sizeof(path), "%s%s%s", scope->at, dot, field);
	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return fail(scope->err, scope->code, path, "%s", text);
}

static bool is_known(const char *key, const char *const *known)
{
	for (; *known != NULL; known++)
		if (strcmp(key, *known) == 0)
			return true;
	return false;
}

int config_object(const struct scope *scope, const json_t *object, const char *const *known)
{
	const char *key;
	json_t *value;

	if (!json_is_object(object))
		return refuse(scope, "", "an object is expected");
	json_object_foreach((json_t *)(uintptr_t)object, key, value) {
		char shown[64];

		if (is_known(key, known))
			continue;
		(void)snprintf(shown, sizeof(shown), "%.60s", key);
		return refuse(scope, shown, "there is no such field");
	}
	return 0;
}

int config_uint(const struct scope *scope, const json_t *object, const char *key, uint64_t least, uint64_t most,
	int64_t fallback, uint64_t *out)
{
	const json_t *value = json_object_get(object, key);
	json_int_t number;

	if (value == NULL && fallback >= 0) {
		*out = (uint64_t)fallback;
		return 0;
	}
	number = json_integer_value(value);
	if (!json_is_integer(value) || number < 0 || (uint64_t)number < least || (uint64_t)number > most)
		return refuse(scope, key, "a whole number from %llu to %llu is expected",
			(unsigned long long)least, (unsigned long long)most);
	*out = (uint64_t)number;
	return 0;
}

int config_real(const struct scope *scope, const json_t *object, const char *key, double least, double most, double *out)
{
	const json_t *value = json_object_get(object, key);
	double number = json_number_value(value);

	if (!json_is_number(value) || !(number >= least && number <= most))
		return refuse(scope, key, "a number from %g to %g is expected", least, most);
	*out = number;
	return 0;
}

int config_bool(const struct scope *scope, const json_t *object, const char *key, bool fallback, bool *out)
{
	const json_t *value = json_object_get(object, key);

	if (value != NULL && !json_is_boolean(value))
		return refuse(scope, key, "true or false is expected");
	*out = value == NULL ? fallback : json_is_true(value);
	return 0;
}

int config_string(const struct scope *scope, const json_t *object, const char *key, size_t longest, const char **out)
{
	const json_t *value = json_object_get(object, key);
	size_t length = json_string_length(value);

	if (!json_is_string(value) || length == 0 || length > longest)
		return refuse(scope, key, "a string of 1 to %zu characters is expected", longest);
	*out = json_string_value(value);
	return 0;
}

int config_name(const struct scope *scope, const json_t *object, const char *key, size_t longest, const char **out)
{
	if (config_string(scope, object, key, longest, out) < 0)
		return -1;
	for (const char *c = *out; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && strchr("._-", *c) == NULL)
			return refuse(scope, key, "a name has letters, digits, '.', '_' and '-' only");
	return 0;
}

int prefix_parse(const char *text, struct prefix *out)
{
	char address[INET_ADDRSTRLEN] = "";
	const char *slash = strchr(text, '/');
	size_t length = slash != NULL ? (size_t)(slash - text) : strlen(text);
	struct in_addr parsed;
	char *end = NULL;
	unsigned long bits = 32;

	if (slash != NULL)
		bits = isdigit((unsigned char)slash[1]) ? strtoul(slash + 1, &end, 10) : 33;
	if (length > 0 && length < sizeof(address))
		memcpy(address, text, length);
	if (inet_pton(AF_INET, address, &parsed) != 1 || bits > 32 || (end != NULL && *end != '\0'))
		return -1;
	out->length = (uint8_t)bits;
	out->address = ntohl(parsed.s_addr) & prefix_mask(out->length);
	return 0;
}

int config_prefix(const struct scope *scope, const json_t *object, const char *key, struct prefix *out)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (text == NULL || prefix_parse(text, out) < 0)
		return refuse(scope, key, PREFIX_EXPECTED);
	return 0;
}

int config_protocol(const struct scope *scope, const json_t *object, const char *key, uint8_t *out)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (text != NULL && strcmp(text, "udp") == 0)
		*out = IPPROTO_UDP;
	else if (text != NULL && strcmp(text, "tcp") == 0)
		*out = IPPROTO_TCP;
	else if (text != NULL && strcmp(text, "any") == 0)
		*out = 0;
	else
		return refuse(scope, key, "'udp', 'tcp' or 'any' is expected");
	return 0;
}
