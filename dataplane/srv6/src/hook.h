/* One program of ours at the ingress of an interface, under a handle and a priority of its own, beside whatever else is there; at a
 * port to other hosts also one at the egress, which reads the queue there. */
#ifndef SEXTANT_SRV6_HOOK_H
#define SEXTANT_SRV6_HOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "plane.h"

/* In one step where an older program of ours is there. `added_clsact`: whether it was not there before. -EEXIST: the place is
 * another's. Returns 0 or a negative errno. */
int hook_attach(const struct plane *plane, uint32_t port, enum program program, bool *added_clsact);
/* Leaves everything that is not ours; with `added_clsact` removes the clsact too, unless another has put a filter there. */
int hook_detach(const struct plane *plane, int netlink, uint32_t port, bool added_clsact);

#endif
