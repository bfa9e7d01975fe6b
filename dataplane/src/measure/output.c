#include "measure/output.h"

#include <stdio.h>
#include <stdlib.h>

void output_line(const char *kind, json_t *body)
{
	json_t *line = json_pack("{s:o}", kind, body);

	if (line == NULL) /* out of memory: a reader must not take what follows for the whole */
		exit(1);
	(void)json_dumpf(line, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
	(void)fputc('\n', stdout);
	(void)fflush(stdout);
	json_decref(line);
}

/* Texts that quote a request may be cut within a character, and are no UTF-8 then. */
static json_t *quoted(const char *text)
{
	json_t *string = json_string(text);

	return string != NULL ? string : json_string("(no valid UTF-8)");
}

void output_error(const struct error *err)
{
	output_line("error", json_pack("{s:s, s:o, s:o}", "code", err->code, "field", quoted(err->field),
		"message", quoted(err->message)));
}
