#include "nf/pattern_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/artefact.h"
#include "nf/nf.h"

#define SHOWN_CHARS 60
#define SYNTHETIC_DEFAULT 300

void pattern_name(const struct pattern_place *place, char name[PATTERN_NAME_MAX])
{
	static const char *const formats[] = {"patterns.%u", "line %u", "synthetic %u"};

	(void)snprintf(name, PATTERN_NAME_MAX, formats[place->origin], place->number);
}

/* The beginning of a text in plain ASCII: a file may hold anything, an answer must be valid UTF-8. */
static void show(const char *text, char out[SHOWN_CHARS + 8])
{
	char *at = out;

	for (; *text != '\0' && at < out + SHOWN_CHARS; text++)
		at += sprintf(at, *text >= ' ' && *text <= '~' ? "%c" : "\\x%02x", (uint8_t)*text);
	(void)strcpy(at, *text == '\0' ? "" : "...");
}

int pattern_refuse(const struct scope *scope, const struct pattern_list *list, uint32_t index, const char *cause)
{
	const struct pattern_place *place = &list->places[index];
	char name[PATTERN_NAME_MAX], shown[SHOWN_CHARS + 8];

	pattern_name(place, name);
	show(list->texts[index], shown);
	if (place->origin == PATTERN_GIVEN)
		return refuse(scope, name, "the pattern '%s' is refused: %s", shown, cause);
	return refuse(scope, place->origin == PATTERN_FILE ? "patterns_file" : "synthetic_patterns",
		"%s: the pattern '%s' is refused: %s", name, shown, cause);
}

static int add(const struct scope *scope, struct pattern_list *list, const char *text, size_t length,
	enum pattern_origin origin, uint32_t number)
{
	char *copy;

	if (list->count == PATTERNS_MAX)
		return refuse(scope, "", "at most %u patterns are expected, with those of the file and the synthetic ones",
			PATTERNS_MAX);
	copy = strndup(text, length);
	if (copy == NULL)
		return fail(scope->err, E_NO_ROOM, scope->at, "out of memory");
	list->texts[list->count] = copy;
	list->places[list->count++] = (struct pattern_place){origin, number};
	if (length > PATTERN_CHARS_MAX)
		return pattern_refuse(scope, list, list->count - 1, "it is longer than 512 bytes");
	return 0;
}

static int add_given(const struct scope *scope, const json_t *config, struct pattern_list *list)
{
	const json_t *given = json_object_get(config, "patterns");

	if (given != NULL && !json_is_array(given))
		return refuse(scope, "patterns", "a list of regular expressions is expected");
	for (uint32_t i = 0; i < json_array_size(given); i++) {
		const json_t *pattern = json_array_get(given, i);
		char field[PATTERN_NAME_MAX];

		pattern_name(&(struct pattern_place){PATTERN_GIVEN, i}, field);
		if (json_string_length(pattern) == 0)
			return refuse(scope, field, "a regular expression is expected");
		if (add(scope, list, json_string_value(pattern), json_string_length(pattern), PATTERN_GIVEN, i) < 0)
			return -1;
	}
	return 0;
}

/* One a line; empty lines and those that begin with '#' say nothing. */
static int add_lines(const struct scope *scope, const struct artefact *file, struct pattern_list *list)
{
	const char *at = (const char *)file->bytes, *end = at + file->size;

	for (uint32_t line = 1; at < end; line++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((stop == NULL ? end : stop) - at);

		if (memchr(at, '\0', length) != NULL)
			return refuse(scope, "patterns_file", "line %u contains a zero byte; a text file with one pattern a line is expected", line);
		if (length > 0 && at[length - 1] == '\r')
			length--;
		if (length > 0 && *at != '#' && add(scope, list, at, length, PATTERN_FILE, line) < 0)
			return -1;
		at = stop == NULL ? end : stop + 1;
	}
	return 0;
}

static int add_file(const struct scope *scope, const json_t *config, struct pattern_list *list)
{
	struct artefact file;
	int added;

	if (artefact_read(scope, config, "patterns_file", PATTERN_FILE_MAX, &file) < 0)
		return -1;
	added = file.bytes == NULL ? 0 : add_lines(scope, &file, list);
	artefact_free(&file);
	return added;
}

static char *write_letters(char *at, uint64_t *random, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		*at++ = (char)('a' + nf_random(random) % 26);
	return at;
}

/* Seven of ten are words of 8 to 19 letters, the others two words with something between: in the manner of rule sets. */
static int add_synthetic(const struct scope *scope, const json_t *config, struct pattern_list *list)
{
	static const char *const between[] = {"[0-9]{2,6}", ".{0,16}", "\\s*=\\s*"};
	uint64_t count, seed, random;

	if (config_uint(scope, config, "synthetic_patterns", 0, PATTERNS_MAX, SYNTHETIC_DEFAULT, &count) < 0 ||
	    config_uint(scope, config, "seed", 0, UINT32_MAX, 1, &seed) < 0)
		return -1;
	random = nf_seed(seed);
	for (uint32_t i = 0; i < count; i++) {
		char text[64], *at = write_letters(text, &random, 8 + nf_random(&random) % 12);
		uint32_t kind = nf_random(&random) % 10;

		if (kind >= 7)
			at = write_letters(stpcpy(at, between[kind - 7]), &random, 6);
		if (add(scope, list, text, (size_t)(at - text), PATTERN_SYNTHETIC, i) < 0)
			return -1;
	}
	return 0;
}

int pattern_list_read(const struct scope *scope, const json_t *config, struct pattern_list *list)
{
	*list = (struct pattern_list){.texts = calloc(PATTERNS_MAX, sizeof(*list->texts)),
		.places = calloc(PATTERNS_MAX, sizeof(*list->places))};
	if (list->texts == NULL || list->places == NULL)
		return fail(scope->err, E_NO_ROOM, scope->at, "out of memory");
	if (add_given(scope, config, list) < 0 || add_file(scope, config, list) < 0 ||
	    add_synthetic(scope, config, list) < 0)
		return -1;
	return 0;
}

void pattern_list_free(struct pattern_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		free(list->texts[i]);
	free(list->texts);
	free(list->places);
	*list = (struct pattern_list){0};
}
