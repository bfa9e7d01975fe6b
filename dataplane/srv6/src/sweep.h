/* Entries of maps that name an interface which has gone, or is no longer what they say. */
#ifndef SEXTANT_SRV6_SWEEP_H
#define SEXTANT_SRV6_SWEEP_H

#include "daemon.h"

int sweep(struct daemon *daemon, struct error *err);

#endif
