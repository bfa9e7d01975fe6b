/* The lines of a text file that a configuration names: routes, rules. '#' starts a comment; empty lines do not count. */
#ifndef SEXTANT_TEXT_LINES_H
#define SEXTANT_TEXT_LINES_H

#include <stdint.h>

#include "base/artefact.h"

struct text_lines {
	char *next;
	uint32_t number; /* of the line handed out last, as an editor counts */
};

/* Starts at the first line of `file`, which it changes; -1 when that is no text. Refusals name `key`. */
int text_lines_open(struct text_lines *lines, const struct scope *scope, const char *key, const struct artefact *file);

/* The next line that says something, without comment and the space around it; NULL at the end. */
char *text_lines_next(struct text_lines *lines);

#endif
