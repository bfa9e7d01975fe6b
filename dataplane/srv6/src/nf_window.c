#include "nf_window.h"

void nf_window_tick(struct nf_window *window, uint64_t now_ns)
{
	if (!window_is_over(window->count, window->first_ns, now_ns))
		return;
	window->closed.number++;
	window->closed.closed_at_ns = now_ns;
	window->closed.packets = window->count;
	window->closed.latency = latencies_of(window->samples, window->count);
	window->count = 0;
}

void nf_window_add(struct nf_window *window, const struct srv6_return *given_back)
{
	if (window->count == 0)
		window->first_ns = given_back->at_ns;
	window->samples[window->count++] = given_back->latency_ns;
	window->head.last_ns = given_back->at_ns;
	totals_add(&window->totals, given_back->latency_ns);
	nf_window_tick(window, given_back->at_ns);
}
