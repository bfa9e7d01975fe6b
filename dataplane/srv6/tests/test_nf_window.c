/* Windows of what one NF gave back, and that of too many windows the most silent is forgotten. */
#include <stdlib.h>

#include "check.h"
#include "nf_window.h"

static void closes_by_number_and_time(void)
{
	struct nf_window *window = calloc(1, sizeof(*window));
	struct srv6_return given_back = {.at_ns = 5, .nf = 3};
	struct latencies latencies;

	CHECK(window != NULL);
	for (uint32_t i = 0; i < WINDOW_PACKETS; i++) {
		given_back.latency_ns = WINDOW_PACKETS - i;
		nf_window_add(window, &given_back);
	}
	CHECK(window->closed.number == 1 && window->closed.packets == WINDOW_PACKETS && window->count == 0);
	CHECK(window->closed.latency.p50 == 750 && window->closed.latency.p95 == 1425 && window->closed.latency.max == 1500);
	for (uint32_t i = 0; i < WINDOW_LEAST; i++)
		nf_window_add(window, &given_back);
	nf_window_tick(window, 4 + WINDOW_NS);
	CHECK(window->closed.number == 1);
	nf_window_tick(window, 5 + WINDOW_NS);
	CHECK(window->closed.number == 2 && window->closed.latency.p95 == 1);
	CHECK(window->totals.count == WINDOW_PACKETS + WINDOW_LEAST && totals_read(&window->totals, &latencies) && latencies.max == 1500);
	free(window);
}

static void forgets_the_most_silent(void)
{
	static struct window_table table;
	const size_t size = sizeof(struct window_head);

	for (uint32_t i = 0; i < WINDOWS_MAX; i++)
		window_table_get(&table, i, size)->last_ns = i == 9 ? 1 : 100 + i;
	CHECK(window_table_get(&table, 9, size)->last_ns == 1 && window_table_find(&table, WINDOWS_MAX) == NULL);
	CHECK(window_table_get(&table, WINDOWS_MAX, size)->last_ns == 0);
	CHECK(window_table_find(&table, 9) == NULL && window_table_find(&table, 8) != NULL && window_table_find(&table, WINDOWS_MAX) != NULL);
}

int main(void)
{
	closes_by_number_and_time();
	forgets_the_most_silent();
	return 0;
}
