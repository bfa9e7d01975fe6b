/*
 * What a process that works on packets of strangers gives up before the first of them: should one take it over, the packet socket that
 * it inherited sends at its own interface only, and no other socket is to be had. Decision 123 says what that leaves.
 */
#ifndef SEXTANT_CONFINED_H
#define SEXTANT_CONFINED_H

#include "base/error.h"

/*
 * For all threads of the process and for good: system calls that name where a socket sends, open one or reach into another process fail
 * with EPERM. -1 with `err` filled where the kernel cannot do that.
 */
int confine_sockets(struct error *err);

#endif
