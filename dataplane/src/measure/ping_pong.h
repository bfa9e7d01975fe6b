/* How long a cache line takes from one core to another: short where they share a cache, long where they do not. */
#ifndef SEXTANT_MEASURE_PING_PONG_H
#define SEXTANT_MEASURE_PING_PONG_H

#include "base/error.h"

/* Time of one undisturbed hand-over (half a round trip) in ns; -1 with `err` filled. */
int ping_pong_measure(int first, int second, double *ns, struct error *err);

#endif
