/* The socket's file. */
#ifndef SEXTANT_SRV6_LISTENING_H
#define SEXTANT_SRV6_LISTENING_H

#include <sys/types.h>

#include "codes.h"

/* Mode 0660, root's and the group of user `uid`. Returns the listening socket, or -1 with `err`. */
int listening_open(const char *path, uid_t uid, struct error *err);

#endif
