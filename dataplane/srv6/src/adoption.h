/* The start: what a predecessor left is taken over, what is half done is done or undone, what belongs to nothing any more goes. */
#ifndef SEXTANT_SRV6_ADOPTION_H
#define SEXTANT_SRV6_ADOPTION_H

#include "daemon.h"

/* 0, or -1 with `err`: why packets cannot be carried here. */
int adopt(struct daemon *daemon, struct error *err);

/* For --clean: 0, or -1 with `err`. */
int clean(struct daemon *daemon, struct error *err);

#endif
