#include "firewall_rules.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"

static int read_action(const struct scope *scope, const json_t *object, const char *key, bool *allow)
{
	const char *text = json_string_value(json_object_get(object, key));

	if (text == NULL || (strcmp(text, "allow") != 0 && strcmp(text, "deny") != 0))
		return refuse(scope, key, "'allow' or 'deny' is expected");
	*allow = text[0] == 'a';
	return 0;
}

static int read_end(const struct scope *scope, const json_t *object, const char *key, struct firewall_rule *rule, struct prefix6 *out)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);
	struct prefix prefix = {0};
	uint32_t address;
	bool *other;

	if (value == NULL)
		return 0;
	other = text != NULL && prefix6_is_meant(text) ? &rule->ipv4 : &rule->ipv6;
	*other = false;
	if (!rule->ipv4 && !rule->ipv6)
		return refuse(scope, key, "a rule has one address family; write a rule for each");
	if (rule->ipv6)
		return prefix6_parse(text, out) < 0 ? refuse(scope, key, PREFIX6_EXPECTED) : 0;
	if (config_prefix(scope, object, key, &prefix) < 0)
		return -1;
	address = htonl(prefix.address);
	memcpy(out->address, &address, sizeof(address));
	out->length = prefix.length;
	return 0;
}

static int read_ports(const struct scope *scope, const json_t *object, struct firewall_rule *rule)
{
	const json_t *range = json_object_get(object, "dst_port");
	const json_t *from = json_array_get(range, 0), *to = json_array_get(range, 1);
	json_int_t first = json_integer_value(from), last = json_integer_value(to);

	if (range == NULL)
		return 0;
	if (json_array_size(range) != 2 || !json_is_integer(from) || !json_is_integer(to) || first < 0 || last > UINT16_MAX || first > last)
		return refuse(scope, "dst_port", "[first, last] with 0 <= first <= last <= 65535 is expected");
	rule->first_port = (uint16_t)first;
	rule->last_port = (uint16_t)last;
	return 0;
}

static int read_rule(const struct scope *scope, const json_t *object, struct firewall_rule *rule)
{
	static const char *const fields[] = {"action", "src", "dst", "protocol", "dst_port", NULL};

	*rule = (struct firewall_rule){.ipv4 = true, .ipv6 = true, .last_port = UINT16_MAX};
	if (config_object(scope, object, fields) < 0 || read_action(scope, object, "action", &rule->allow) < 0 ||
		read_end(scope, object, "src", rule, &rule->src) < 0 || read_end(scope, object, "dst", rule, &rule->dst) < 0 ||
		(json_object_get(object, "protocol") != NULL && config_protocol(scope, object, "protocol", &rule->protocol) < 0))
		return -1;
	return read_ports(scope, object, rule);
}

int firewall_rules_read(const json_t *request, struct firewall_rules *rules, struct error *err)
{
	const struct scope scope = {.code = E_BAD_REQUEST, .at = "", .err = err};
	const json_t *list = json_object_get(request, "rules");

	if (!json_is_array(list) || json_array_size(list) > FIREWALL_RULES_MAX)
		return refuse(&scope, "rules", "a list of at most %d rules is expected", FIREWALL_RULES_MAX);
	if (read_action(&scope, request, "default_action", &rules->allow) < 0)
		return -1;
	for (rules->count = 0; rules->count < json_array_size(list); rules->count++) {
		char at[32];
		const struct scope inner = {.code = scope.code, .at = at, .err = err};

		(void)snprintf(at, sizeof(at), "rules.%zu", rules->count);
		if (read_rule(&inner, json_array_get(list, rules->count), &rules->list[rules->count]) < 0)
			return -1;
	}
	return 0;
}
