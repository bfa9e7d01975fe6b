/* Checks before and after a measurement that the machine is still the calibrated one. */
#ifndef SEXTANT_GATES_H
#define SEXTANT_GATES_H

#include "measure/request.h"

/* Prints the clock of every core in use and the ping-pong between NF 0 and each competitor. -1 with `err` filled. */
int gates_print(const struct request *request, const char *when, struct error *err);

#endif
