/*
 * Mutations that reach behind a JSON parser: half of them put another value in the place of a whole one, the others
 * work on bytes.
 */
#include <ctype.h>
#include <string.h>

#include "base/random.h"
#include "fuzz.h"

static const char *const VALUES[] = {"0", "1", "-1", "2", "31", "32", "33", "65535", "65536", "4294967295", "4294967296",
	"9223372036854775807", "-9223372036854775808", "0.5", "1e308", "-1e-320", "null", "true", "false", "\"\"", "\"a\"",
	"\"10.0.0.0/8\"", "\"0.0.0.0/0\"", "\"255.255.255.255\"", "\"1.2.3.4/33\"", "\"udp\"", "\"\\u0000\"", "[]", "{}", "[0]",
	"[[]]", "\"(\"", "\".*\"", "\"sha256:\"", "\"\xc3\xa9\""};

struct text {
	uint8_t *data;
	size_t size, most;
};

static size_t below(uint64_t *random, size_t bound)
{
	return bound == 0 ? 0 : random_u32(random) % bound;
}

static void replace(struct text *text, size_t at, size_t old, const void *with, size_t length)
{
	if (text->size - old + length > text->most)
		return;
	memmove(text->data + at + length, text->data + at + old, text->size - at - old);
	memcpy(text->data + at, with, length);
	text->size = text->size - old + length;
}

static size_t value_end(const struct text *text, size_t at)
{
	size_t end = at + 1;

	if (text->data[at] == '"') {
		while (end < text->size && text->data[end] != '"')
			end++;
		return end < text->size ? end + 1 : end;
	}
	while (end < text->size && (isalnum(text->data[end]) || strchr("+-.", text->data[end]) != NULL))
		end++;
	return end;
}

/* The next string, number or word after a random place. */
static void change_value(struct text *text, uint64_t *random)
{
	const char *value = VALUES[below(random, sizeof(VALUES) / sizeof(VALUES[0]))];
	size_t at = below(random, text->size);

	while (at < text->size && text->data[at] != '"' && text->data[at] != '-' && !isdigit(text->data[at]))
		at++;
	if (at < text->size)
		replace(text, at, value_end(text, at) - at, value, strlen(value));
}

static void flip_bit(struct text *text, uint64_t *random)
{
	uint8_t *byte = &text->data[below(random, text->size)];

	*byte = (uint8_t)(*byte ^ 1U << random_u32(random) % 8);
}

static void set_byte(struct text *text, uint64_t *random)
{
	static const uint8_t edges[] = {0, 1, 0x7f, 0x80, 0xff, '\n', '"', '[', '}', '#', '/', ' '};

	text->data[below(random, text->size)] = edges[below(random, sizeof(edges))];
}

static void cut(struct text *text, uint64_t *random)
{
	size_t at = below(random, text->size);

	replace(text, at, below(random, text->size - at) + 1, "", 0);
}

static void truncate_end(struct text *text, uint64_t *random)
{
	text->size = below(random, text->size) + 1;
}

/* A piece of the text once more, elsewhere. */
static void repeat(struct text *text, uint64_t *random)
{
	uint8_t piece[256];
	size_t from = below(random, text->size), length = text->size - from;

	length = length < sizeof(piece) ? length : sizeof(piece);
	length = below(random, length) + 1;
	memcpy(piece, text->data + from, length);
	replace(text, below(random, text->size), 0, piece, length);
}

size_t fuzz_mutate(uint8_t *data, size_t size, size_t most, uint64_t seed)
{
	static void (*const changes[])(struct text *, uint64_t *) = {
		change_value, change_value, change_value, change_value, flip_bit, set_byte, cut, repeat, truncate_end};
	struct text text = {data, size, most};
	uint64_t random = (seed + 1) * 0x9e3779b97f4a7c15ULL | 1;

	if (size == 0)
		return 0;
	for (size_t left = 1 + below(&random, 4); left > 0 && text.size > 0; left--)
		changes[below(&random, sizeof(changes) / sizeof(changes[0]))](&text, &random);
	return text.size;
}
