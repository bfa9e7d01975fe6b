/* Which prefixes hold segments, and which edges may send: set by difference, so that what stays is not interrupted. */
#include <string.h>

#include "fields.h"
#include "verbs.h"

#define PREFIXES_MAX 256
#define SOURCES_MAX 1024

struct locators {
	struct srv6_prefix prefixes[2 * PREFIXES_MAX];
	size_t own, count; /* this host's come first */
};

static bool is_no_locator(void *context, const void *key, void *value)
{
	const struct locators *wanted = context;

	(void)value;
	for (size_t i = 0; i < wanted->count; i++)
		if (memcmp(&wanted->prefixes[i], key, sizeof(struct srv6_prefix)) == 0)
			return false;
	return true;
}

struct sources {
	struct srv6_address addresses[SOURCES_MAX];
	size_t count;
};

static bool is_no_source(void *context, const void *key, void *value)
{
	const struct sources *wanted = context;

	(void)value;
	for (size_t i = 0; i < wanted->count; i++)
		if (memcmp(&wanted->addresses[i], key, sizeof(struct srv6_address)) == 0)
			return false;
	return true;
}

static int read_locators(const json_t *request, struct locators *locators, struct error *err)
{
	size_t others;

	if (field_list(request, "own", 0, PREFIXES_MAX, item_prefix, SEGMENTS_EXPECTED, locators->prefixes, sizeof(struct srv6_prefix),
		&locators->own, err) < 0 ||
		field_list(request, "others", 0, PREFIXES_MAX, item_prefix, SEGMENTS_EXPECTED, &locators->prefixes[locators->own],
		sizeof(struct srv6_prefix), &others, err) < 0)
		return -1;
	locators->count = locators->own + others;
	for (size_t i = locators->own; i < locators->count; i++)
		for (size_t j = 0; j < locators->own; j++)
			if (memcmp(&locators->prefixes[i], &locators->prefixes[j], sizeof(struct srv6_prefix)) == 0)
				return fail(err, E_BAD_REQUEST, "others", "a prefix is among this host's own too");
	return 0;
}

json_t *do_set_host(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	static struct locators locators; /* under the daemon's lock */
	static struct sources sources;
	const uint8_t yes = 1;

	(void)passed;
	if (read_locators(request, &locators, err) < 0 || field_list(request, "sources", 0, SOURCES_MAX, item_address, ADDRESS_EXPECTED,
		sources.addresses, sizeof(struct srv6_address), &sources.count, err) < 0)
		return NULL;
	for (size_t i = 0; i < locators.count; i++) {
		const uint8_t whose = i < locators.own ? SRV6_OWN : SRV6_OTHERS;

		if (plane_put(&daemon->plane, MAP_LOCATORS, &locators.prefixes[i], &whose, err) < 0)
			return NULL;
	}
	for (size_t i = 0; i < sources.count; i++)
		if (plane_put(&daemon->plane, MAP_SOURCES, &sources.addresses[i], &yes, err) < 0)
			return NULL;
	plane_each(&daemon->plane, MAP_LOCATORS, is_no_locator, &locators);
	plane_each(&daemon->plane, MAP_SOURCES, is_no_source, &sources);
	return json_object();
}
