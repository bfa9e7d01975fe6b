/* A unix stream socket to listen on, readable and writable by its owner only. */
#ifndef SEXTANT_UNIX_LISTENER_H
#define SEXTANT_UNIX_LISTENER_H

#include "base/error.h"

/*
 * Takes the place of a socket that nobody listens on any more. Returns the descriptor, or -1: `err` names `option`, the command line's
 * name for `path`.
 */
int unix_listen(const char *path, const char *option, struct error *err);

#endif
