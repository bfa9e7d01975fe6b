#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

int fail(struct error *err, const char *code, const char *field, const char *format, ...)
{
	va_list args;

	if (err->code != NULL)
		return -1;
	err->code = code;
	(void)snprintf(err->field, sizeof(err->field), "%s", field);
	va_start(args, format);
	(void)vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	return -1;
}
