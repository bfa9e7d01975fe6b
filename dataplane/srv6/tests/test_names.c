/* What things may be called, and how links are found again. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "names.h"

static void takes_names(void)
{
	char long_one[65];

	memset(long_one, 'a', sizeof(long_one));
	long_one[64] = '\0';
	CHECK(!name_is_label(long_one));
	long_one[63] = '\0';
	CHECK(name_is_label(long_one) && name_is_label("a") && name_is_label("a-1") && name_is_label("0"));
	CHECK(!name_is_label("") && !name_is_label("-a") && !name_is_label("a-") && !name_is_label("A") && !name_is_label("a/b"));
	CHECK(!name_is_label("a.b") && !name_is_label("a b") && !name_is_label("\xc3\xa4"));
	CHECK(name_is_nf_id("c.nf") && name_is_nf_id("c-1.nf-2"));
	CHECK(!name_is_nf_id("c") && !name_is_nf_id(".nf") && !name_is_nf_id("c.") && !name_is_nf_id("c.nf.x") && !name_is_nf_id("c-.nf"));
}

static void finds_links_again(void)
{
	struct pair_names names, others;
	struct pair_owner owner;

	names_of_pair("h1", 0, PAIR_NF, "c.nf", &names);
	CHECK(strlen(names.near) == 12 && strncmp(names.near, "sxn", 3) == 0 && strncmp(names.near, names.far, 11) == 0);
	CHECK(strcmp(names.near, names.far) != 0 && memcmp(names.near_mac, names.far_mac, MAC_BYTES) != 0);
	CHECK((names.near_mac[0] & 3) == 2);
	CHECK(strcmp(names.near_alias, "sextant:h1:nf:c.nf") == 0);
	CHECK(names_read_alias("h1", names.near_alias, &owner) && owner.kind == PAIR_NF && strcmp(owner.name, "c.nf") == 0);
	CHECK(owner.generation == 0);
	CHECK(!names_read_alias("h1", names.far_alias, &owner) && !names_read_alias("h", names.near_alias, &owner));
	CHECK(!names_read_alias("h1", "", &owner) && !names_read_alias("h1", "sextant:h1:edges:c", &owner));
	CHECK(names_read_link("h1", names.near, names.near_mac, names.near_alias, &owner) && strcmp(owner.name, "c.nf") == 0);
	CHECK(!names_read_link("h1", "eth0", names.near_mac, names.near_alias, &owner));
	CHECK(!names_read_link("h1", names.near, names.far_mac, names.near_alias, &owner));
	CHECK(names_is_half_made("h1", names.near, names.near_mac) && names_is_half_made("h1", names.far, names.far_mac));
	CHECK(!names_is_half_made("h2", names.near, names.near_mac) && !names_is_half_made("h1", names.near, names.far_mac));
	CHECK(!names_is_half_made("h1", "eth0", names.near_mac));

	names_of_pair("h2", 0, PAIR_NF, "c.nf", &others);
	CHECK(strcmp(others.near, names.near) != 0);
	names_of_pair("h1", 0, PAIR_EDGE, "c.nf", &others);
	CHECK(strcmp(others.near + 3, names.near + 3) != 0);
}

static void tells_generations(void)
{
	struct pair_names names, older;
	struct pair_owner owner;
	char longest[2][LABEL_CHARS + 1], nf_id[NF_ID_CHARS + 1];

	names_of_pair("h1", 0, PAIR_EXIT, "c", &older);
	names_of_pair("h1", 0x2a, PAIR_EXIT, "c", &names);
	CHECK(strcmp(names.near, older.near) == 0 && memcmp(names.near_mac, older.near_mac, MAC_BYTES) == 0);
	CHECK(strcmp(names.near_alias, "sextant:h1:000000000000002a:exit:c") == 0);
	CHECK(strcmp(names.far_alias, "sextant:h1:000000000000002a:far-exit:c") == 0);
	CHECK(names_read_link("h1", names.near, names.near_mac, names.near_alias, &owner));
	CHECK(owner.generation == 0x2a && owner.kind == PAIR_EXIT && strcmp(owner.name, "c") == 0);
	CHECK(!names_read_alias("h1", "sextant:h1:2a:exit:c", &owner) && !names_read_alias("h1", "sextant:h1:000000000000002a", &owner));
	CHECK(!names_read_alias("h1", "sextant:h1:00000000000000002a:exit:c", &owner));

	memset(longest, 'a', sizeof(longest));
	longest[0][LABEL_CHARS] = longest[1][LABEL_CHARS] = '\0';
	(void)snprintf(nf_id, sizeof(nf_id), "%s.%s", longest[0], longest[1]);
	names_of_pair(longest[0], UINT64_MAX, PAIR_FIREWALL, nf_id, &names);
	CHECK(names_read_link(longest[0], names.near, names.near_mac, names.near_alias, &owner));
	CHECK(strcmp(owner.name, nf_id) == 0 && owner.generation == UINT64_MAX && strlen(names.far_alias) < ALIAS_CHARS);
}

int main(void)
{
	takes_names();
	finds_links_again();
	tells_generations();
	return 0;
}
