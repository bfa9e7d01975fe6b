/* What the daemon gives up once it has bound its socket and loaded its programs, before it reads a byte and starts a thread. */
#ifndef SEXTANT_SRV6_RIGHTS_H
#define SEXTANT_SRV6_RIGHTS_H

#include <stddef.h>

#include "codes.h"

/* Keeps CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF (before Linux 5.8 CAP_SYS_ADMIN) in every set, and no new privileges. `why_all`
 * becomes why all were kept, or stays "". */
int rights_drop(char *why_all, size_t size, struct error *err);

#endif
