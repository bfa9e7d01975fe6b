/* One daemon a host, and a namespace, whatever pins it works on. */
#ifndef SEXTANT_SRV6_HOST_LOCK_H
#define SEXTANT_SRV6_HOST_LOCK_H

#include "codes.h"

/* Keeps other daemons of the host out of this network namespace for as long as the descriptor is open. Returns it, or -1 with `err`:
 * E_EXISTS, with the process, where there is one; E_KERNEL. */
int host_lock(const char *host, struct error *err);

#endif
