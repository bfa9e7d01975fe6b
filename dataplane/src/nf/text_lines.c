#include "nf/text_lines.h"

#include <string.h>

#define SPACE " \t\r"

static uint32_t line_of(const struct artefact *file, const char *at)
{
	uint32_t number = 1;

	for (const char *c = (const char *)file->bytes; c < at; c++)
		number += *c == '\n';
	return number;
}

int text_lines_open(struct text_lines *lines, const struct scope *scope, const char *key, const struct artefact *file)
{
	const char *zero = file->bytes == NULL ? NULL : memchr(file->bytes, 0, file->size);

	*lines = (struct text_lines){.next = (char *)file->bytes};
	if (zero != NULL) /* what stands behind it would be passed over in silence */
		return refuse(scope, key, "line %u: it contains a zero byte; a text file is expected", line_of(file, zero));
	return 0;
}

static char *trim(char *line)
{
	char *comment = strchr(line, '#');
	size_t length;

	if (comment != NULL)
		*comment = '\0';
	line += strspn(line, SPACE);
	length = strlen(line);
	while (length > 0 && strchr(SPACE, line[length - 1]) != NULL)
		line[--length] = '\0';
	return line;
}

char *text_lines_next(struct text_lines *lines)
{
	while (lines->next != NULL && *lines->next != '\0') {
		char *line = lines->next, *end = strchr(line, '\n');

		lines->next = end == NULL ? NULL : end + 1;
		if (end != NULL)
			*end = '\0';
		lines->number++;
		line = trim(line);
		if (*line != '\0')
			return line;
	}
	return NULL;
}
