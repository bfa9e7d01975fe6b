/*
 * Prints measured headers as JSON, a line a packet.
 *     sextant-srv6-decode < HEX                          lines of hexadecimal digits, each from an outer IPv6 header on
 *     sextant-srv6-decode --ring PIN [COUNT [IDLE_MS]]   what an egress mirrors, until COUNT came or none for IDLE_MS
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "decode/print.h"
#include "decode/ring.h"

#define LINE_BYTES_MAX 4096

/* -1 where a pair is no pair of hexadecimal digits. */
static long bytes_of(const char *line, size_t length, uint8_t *bytes)
{
	if (length % 2 != 0)
		return -1;
	for (size_t i = 0; i < length; i += 2) {
		const char pair[3] = {line[i], line[i + 1], '\0'};

		if (!isxdigit((unsigned char)pair[0]) || !isxdigit((unsigned char)pair[1]))
			return -1;
		bytes[i / 2] = (uint8_t)strtoul(pair, NULL, 16);
	}
	return (long)(length / 2);
}

static int decode_line(const char *line)
{
	static uint8_t bytes[LINE_BYTES_MAX / 2];
	size_t length = strcspn(line, "\r\n");
	long size = line[length] == '\0' && length + 1 == LINE_BYTES_MAX ? -1 : bytes_of(line, length, bytes);
	struct srv6_headers headers;
	const char *why = size < 0 ? "not an even number of hexadecimal digits, at most 4094" : srv6_decode(bytes, (size_t)size, &headers);

	if (why != NULL) {
		(void)printf("{\"error\": \"%s\"}\n", why);
		return 1;
	}
	srv6_print(stdout, &headers);
	(void)printf("}\n");
	return 0;
}

static int number(const char *text, long most, long *value)
{
	char *end;

	errno = 0;
	*value = strtol(text, &end, 10);
	return errno == 0 && *end == '\0' && end != text && *value > 0 && *value <= most;
}

int main(int argc, char **argv)
{
	static char line[LINE_BYTES_MAX];
	long count = LONG_MAX, idle_ms = INT_MAX;
	int worst = 0;

	if (argc >= 3 && argc <= 5 && strcmp(argv[1], "--ring") == 0 && (argc < 4 || number(argv[3], LONG_MAX, &count)) &&
		(argc < 5 || number(argv[4], INT_MAX - 1, &idle_ms)))
		return ring_print(argv[2], count, (int)idle_ms);
	if (argc > 1) {
		(void)fprintf(stderr, "sextant-srv6-decode [--ring PIN [COUNT [IDLE_MS]]]; without --ring it reads lines of hexadecimal digits\n");
		return 2;
	}
	while (fgets(line, sizeof(line), stdin) != NULL)
		worst |= decode_line(line);
	return worst;
}
