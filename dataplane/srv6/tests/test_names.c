/* What things may be called, and how links are found again. */
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
	enum pair_kind kind;
	const char *name;

	names_of_pair("h1", PAIR_NF, "c.nf", &names);
	CHECK(strlen(names.near) == 12 && strncmp(names.near, "sxn", 3) == 0 && strncmp(names.near, names.far, 11) == 0);
	CHECK(strcmp(names.near, names.far) != 0 && memcmp(names.near_mac, names.far_mac, MAC_BYTES) != 0);
	CHECK((names.near_mac[0] & 3) == 2);
	CHECK(strcmp(names.near_alias, "sextant:h1:nf:c.nf") == 0);
	CHECK(names_read_alias("h1", names.near_alias, &kind, &name) && kind == PAIR_NF && strcmp(name, "c.nf") == 0);
	CHECK(!names_read_alias("h1", names.far_alias, &kind, &name) && !names_read_alias("h", names.near_alias, &kind, &name));
	CHECK(!names_read_alias("h1", "", &kind, &name) && !names_read_alias("h1", "sextant:h1:edges:c", &kind, &name));
	CHECK(names_read_link("h1", names.near, names.near_mac, names.near_alias, &kind, &name) && strcmp(name, "c.nf") == 0);
	CHECK(!names_read_link("h1", "eth0", names.near_mac, names.near_alias, &kind, &name));
	CHECK(!names_read_link("h1", names.near, names.far_mac, names.near_alias, &kind, &name));
	CHECK(names_is_half_made("h1", names.near, names.near_mac) && names_is_half_made("h1", names.far, names.far_mac));
	CHECK(!names_is_half_made("h2", names.near, names.near_mac) && !names_is_half_made("h1", names.near, names.far_mac));
	CHECK(!names_is_half_made("h1", "eth0", names.near_mac));

	names_of_pair("h2", PAIR_NF, "c.nf", &others);
	CHECK(strcmp(others.near, names.near) != 0);
	names_of_pair("h1", PAIR_EDGE, "c.nf", &others);
	CHECK(strcmp(others.near + 3, names.near + 3) != 0);
}

int main(void)
{
	takes_names();
	finds_links_again();
	return 0;
}
