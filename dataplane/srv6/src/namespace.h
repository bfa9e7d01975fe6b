/* The network namespace that this process works in. */
#ifndef SEXTANT_SRV6_NAMESPACE_H
#define SEXTANT_SRV6_NAMESPACE_H

#include <stdint.h>

#include "codes.h"

/* Before any thread is started and any socket opened. */
int namespace_enter(const char *file, struct error *err);
/* A number that no other namespace has until the machine starts again; 0 where the kernel gives none. */
uint64_t namespace_cookie(void);

#endif
