#include "names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINK_CHARS 12 /* sx, what for, 8 digits, which end */
#define GENERATION_CHARS 16

static const struct {
	char letter;
	const char *word;
} KINDS[PAIR_KINDS] = {[PAIR_NF] = {'n', "nf"}, [PAIR_EDGE] = {'e', "edge"}, [PAIR_EXIT] = {'x', "exit"}, [PAIR_LOCAL] = {'l', "local"}, [PAIR_FIREWALL] = {'f', "firewall"}};

static bool is_label(const char *text, size_t length)
{
	static const char inside[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

	return length > 0 && length <= LABEL_CHARS && strspn(text, inside) >= length && text[0] != '-' && text[length - 1] != '-';
}

bool name_is_label(const char *text)
{
	return is_label(text, strlen(text));
}

bool name_is_nf_id(const char *text)
{
	const char *dot = strchr(text, '.');

	return dot != NULL && is_label(text, (size_t)(dot - text)) && name_is_label(dot + 1);
}

/* FNV-1a over several texts with a separator that is in none of them. */
static uint64_t hash(const char *const *texts, size_t count)
{
	uint64_t value = 14695981039346656037ULL;

	for (size_t i = 0; i < count; i++) {
		for (const char *c = texts[i]; *c != '\0'; c++)
			value = (value ^ (uint8_t)*c) * 1099511628211ULL;
		value = (value ^ '/') * 1099511628211ULL;
	}
	return value;
}

static void mac_of(const char *host, const char *link, uint8_t *mac)
{
	uint64_t value = hash((const char *const[]){host, link}, 2);

	mac[0] = 2; /* administered locally */
	for (int i = 1; i < MAC_BYTES; i++, value >>= 8)
		mac[i] = (uint8_t)value;
}

void names_of_pair(const char *host, uint64_t generation, enum pair_kind kind, const char *name, struct pair_names *names)
{
	uint32_t digits = (uint32_t)hash((const char *const[]){host, KINDS[kind].word, name}, 3);
	char of[GENERATION_CHARS + 2] = "";

	if (generation != 0)
		(void)snprintf(of, sizeof(of), "%016" PRIx64 ":", generation);
	(void)snprintf(names->near, sizeof(names->near), "sx%c%08xa", KINDS[kind].letter, digits);
	(void)snprintf(names->far, sizeof(names->far), "sx%c%08xb", KINDS[kind].letter, digits);
	mac_of(host, names->near, names->near_mac);
	mac_of(host, names->far, names->far_mac);
	(void)snprintf(names->near_alias, sizeof(names->near_alias), "sextant:%s:%s%s:%s", host, of, KINDS[kind].word, name);
	(void)snprintf(names->far_alias, sizeof(names->far_alias), "sextant:%s:%sfar-%s:%s", host, of, KINDS[kind].word, name);
}

/* What follows the owner and the generation; NULL: it is of another host. */
static const char *past_generation(const char *host, const char *alias, uint64_t *generation)
{
	char start[ALIAS_CHARS + 1];
	const size_t length = (size_t)snprintf(start, sizeof(start), "sextant:%s:", host);

	if (strncmp(alias, start, length) != 0)
		return NULL;
	alias += length;
	*generation = 0;
	if (strspn(alias, "0123456789abcdef") != GENERATION_CHARS || alias[GENERATION_CHARS] != ':')
		return alias;
	*generation = strtoull(alias, NULL, 16);
	return alias + GENERATION_CHARS + 1;
}

bool names_read_alias(const char *host, const char *alias, struct pair_owner *owner)
{
	const char *rest = past_generation(host, alias, &owner->generation);

	for (int i = 0; rest != NULL && i < PAIR_KINDS; i++) {
		const size_t length = strlen(KINDS[i].word);

		if (strncmp(rest, KINDS[i].word, length) != 0 || rest[length] != ':')
			continue;
		owner->kind = (enum pair_kind)i;
		owner->name = rest + length + 1;
		return true;
	}
	return false;
}

bool names_read_link(const char *host, const char *link, const uint8_t *mac, const char *alias, struct pair_owner *owner)
{
	struct pair_names names;

	if (!names_read_alias(host, alias, owner))
		return false;
	names_of_pair(host, owner->generation, owner->kind, owner->name, &names);
	return strcmp(link, names.near) == 0 && memcmp(mac, names.near_mac, MAC_BYTES) == 0;
}

bool names_is_half_made(const char *host, const char *link, const uint8_t *mac)
{
	uint8_t expected[MAC_BYTES];

	if (strlen(link) != LINK_CHARS || strncmp(link, "sx", 2) != 0 || strspn(link + 3, "0123456789abcdef") < 8)
		return false;
	mac_of(host, link, expected);
	return memcmp(mac, expected, MAC_BYTES) == 0;
}
