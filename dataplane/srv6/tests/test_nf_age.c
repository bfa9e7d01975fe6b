/* How long the oldest packet that an NF still has has been there, at least. */
#include "check.h"
#include "nf_age.h"

#define S 1000000000ULL

int main(void)
{
	struct srv6_nf_state state = {.given = 5, .returned = 5, .given_at_ns = 9 * S, .returned_at_ns = 9 * S, .busy_since_ns = 9 * S};

	CHECK(nf_oldest_ns(&state, 10 * S) == 0); /* it has none */
	state.given = 6;
	state.given_at_ns = state.busy_since_ns = 10 * S; /* after a second without any */
	CHECK(nf_oldest_ns(&state, 10 * S + 5) == 5);
	state.given = 7;
	state.returned = 6;
	state.given_at_ns = state.returned_at_ns = 10 * S + 20; /* the next was given no later than the last came back */
	CHECK(nf_oldest_ns(&state, 10 * S + 50) == 30);
	state.given = 100; /* it stalls, and goes on being given more */
	state.given_at_ns = 12 * S;
	CHECK(nf_oldest_ns(&state, 12 * S + 1) == 2 * S - 19);
	CHECK(nf_oldest_ns(&state, 14 * S) == 4 * S - 20);
	CHECK(nf_oldest_ns(&state, 14 * S + 1) == 0); /* none of these can be given back any more */
	CHECK(nf_oldest_ns(&state, 10 * S) == 0); /* written while it was read */
	return 0;
}
