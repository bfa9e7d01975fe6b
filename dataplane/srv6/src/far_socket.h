/* What is passed to whoever processes packets at the far end of a pair. */
#ifndef SEXTANT_SRV6_FAR_SOCKET_H
#define SEXTANT_SRV6_FAR_SOCKET_H

#include "pair.h"

/* A packet socket that takes no right to use. -1: said in `err`. */
int far_socket(const struct pair *pair, struct error *err);

#endif
