/* Names: what a request may call things, and what the links of a host are called so that a successor finds them again. */
#ifndef SEXTANT_SRV6_NAMES_H
#define SEXTANT_SRV6_NAMES_H

#include <net/if.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LABEL_CHARS 63
#define NF_ID_CHARS (2 * LABEL_CHARS + 1)
#define ALIAS_CHARS 255 /* the kernel takes no longer one */
#define MAC_BYTES 6

/* What a pair of ours is for. */
enum pair_kind { PAIR_NF, PAIR_EDGE, PAIR_EXIT, PAIR_LOCAL, PAIR_FIREWALL, PAIR_KINDS };

/* Lower case, digits and hyphens inside, 63 at most: a chain, a host. */
bool name_is_label(const char *text);
/* <chain>.<nf> */
bool name_is_nf_id(const char *text);

/* What the two ends of a pair are called. Addresses follow from names: a link whose alias was not written before its maker died
 * is known by its address. */
struct pair_names {
	char near[IFNAMSIZ], far[IFNAMSIZ];
	uint8_t near_mac[MAC_BYTES], far_mac[MAC_BYTES];
	char near_alias[ALIAS_CHARS + 1], far_alias[ALIAS_CHARS + 1];
};

/* What the alias of a near end says; `name` points into it. */
struct pair_owner {
	enum pair_kind kind;
	const char *name;
	uint64_t generation;
};

/* The alias says whose a link is, and of which generation: of the maps that were begun with it. 0 is left out. */
void names_of_pair(const char *host, uint64_t generation, enum pair_kind kind, const char *name, struct pair_names *names);
/* Of a near end of this host, of any generation. */
bool names_read_alias(const char *host, const char *alias, struct pair_owner *owner);
/* The same of a link, which has the name and address that follow from its alias. */
bool names_read_link(const char *host, const char *link, const uint8_t *mac, const char *alias, struct pair_owner *owner);
/* Whether a link without an alias is one that a daemon of this host was making. */
bool names_is_half_made(const char *host, const char *link, const uint8_t *mac);

#endif
