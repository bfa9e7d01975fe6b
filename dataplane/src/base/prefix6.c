#include "base/prefix6.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Of the byte in which the prefix ends. */
static uint8_t last_mask(uint8_t length)
{
	return (uint8_t)(0xff00U >> length % 8);
}

bool prefix6_is_meant(const char *text)
{
	return strchr(text, ':') != NULL;
}

int prefix6_parse(const char *text, struct prefix6 *out)
{
	char address[INET6_ADDRSTRLEN] = "";
	const char *slash = strchr(text, '/');
	size_t length = slash != NULL ? (size_t)(slash - text) : strlen(text);
	unsigned long bits = 128;
	char *end = NULL;

	if (slash != NULL)
		bits = isdigit((unsigned char)slash[1]) ? strtoul(slash + 1, &end, 10) : 129;
	if (length > 0 && length < sizeof(address))
		memcpy(address, text, length);
	if (inet_pton(AF_INET6, address, out->address) != 1 || bits > 128 || (end != NULL && *end != '\0'))
		return -1;
	out->length = (uint8_t)bits;
	for (uint32_t i = out->length / 8U; i < IPV6_ADDRESS_BYTES; i++)
		out->address[i] &= i == out->length / 8U ? last_mask(out->length) : 0;
	return 0;
}

bool prefix6_holds(const struct prefix6 *prefix, const uint8_t *address)
{
	uint32_t whole = prefix->length / 8U;

	return memcmp(prefix->address, address, whole) == 0 &&
		(prefix->length % 8 == 0 || ((prefix->address[whole] ^ address[whole]) & last_mask(prefix->length)) == 0);
}
