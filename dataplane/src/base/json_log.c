#include "base/json_log.h"

#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define TEXT_MAX 1024

/* JSON text of `text` into `out` (at most TEXT_MAX characters of it); control characters become spaces. */
static size_t quote(char *out, size_t room, const char *text, size_t length)
{
	size_t used = 0;

	for (size_t i = 0; i < length && i < TEXT_MAX && used + 2 < room; i++) {
		char c = text[i];
		if (c == '"' || c == '\\')
			out[used++] = '\\';
		out[used++] = ((unsigned char)c < 0x20 || (unsigned char)c > 0x7e) ? ' ' : c;
	}
	return used;
}

static void line(const char *level, const char *text, size_t length)
{
	char out[2 * TEXT_MAX + 160];
	struct timespec now;
	struct tm utc;
	size_t used;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	used = strftime(out, sizeof(out), "{\"ts\":\"%Y-%m-%dT%H:%M:%S", &utc);
	used += (size_t)snprintf(out + used, sizeof(out) - used,
		".%03ldZ\",\"level\":\"%s\",\"pid\":%d,\"message\":\"", now.tv_nsec / 1000000, level, (int)getpid());
	used += quote(out + used, sizeof(out) - used - 4, text, length);
	memcpy(out + used, "\"}\n", 3);
	/* One write: lines of several processes never mix. A closed stderr must not end the runner. */
	if (write(STDERR_FILENO, out, used + 3) < 0)
		return;
}

static void format_line(const char *level, const char *format, va_list args)
{
	char text[TEXT_MAX];
	int length = vsnprintf(text, sizeof(text), format, args);

	if (length > 0)
		line(level, text, (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

void log_info(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_line("info", format, args);
	va_end(args);
}

void log_error(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	format_line("error", format, args);
	va_end(args);
}

static ssize_t stream_write(void *cookie, const char *text, size_t length)
{
	size_t start = 0;

	(void)cookie;
	for (size_t i = 0; i <= length; i++) {
		if (i < length && text[i] != '\n')
			continue;
		if (i > start)
			line("warning", text + start, i - start);
		start = i + 1;
	}
	return (ssize_t)length;
}

FILE *log_stream(void)
{
	cookie_io_functions_t functions = {.write = stream_write};
	FILE *stream = fopencookie(NULL, "w", functions);

	if (stream != NULL)
		setvbuf(stream, NULL, _IOLBF, 0);
	return stream;
}
