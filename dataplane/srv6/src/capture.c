/* The verb `capture`. It waits, so it does not hold the daemon's lock. */
#include <stdio.h>

#include "fields.h"
#include "verbs.h"

#define WAIT_MS_MAX 10000

static json_t *hexadecimal(const struct captured *captured)
{
	char text[2 * SRV6_BYTES_MAX + 1] = "";

	for (uint16_t i = 0; i < captured->bytes; i++)
		(void)snprintf(&text[2 * i], 3, "%02x", captured->headers[i]);
	return json_string(text);
}

json_t *do_capture(struct daemon *daemon, const json_t *request, int *passed, struct error *err)
{
	struct captured into[CAPTURED_MAX];
	uint32_t tag, count, wait_ms, got;
	json_t *headers;

	(void)passed;
	if (field_number(request, "tag", 1, UINT16_MAX, -1, &tag, err) < 0 ||
		field_number(request, "count", 1, CAPTURED_MAX, -1, &count, err) < 0 ||
		field_number(request, "wait_ms", 0, WAIT_MS_MAX, -1, &wait_ms, err) < 0)
		return NULL;
	got = rings_capture(daemon->rings, (uint16_t)tag, count, wait_ms, into);
	headers = json_array();
	for (uint32_t i = 0; i < got; i++)
		(void)json_array_append_new(headers, hexadecimal(&into[i]));
	return json_pack("{s:o}", "headers", headers);
}
