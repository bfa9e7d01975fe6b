/* The folder of pins. */
#ifndef SEXTANT_SRV6_PINS_H
#define SEXTANT_SRV6_PINS_H

#include "codes.h"

#define NEXT_PIN "_next" /* programs that are to take the place of those without it; such a file system takes no dot */

/* Writes into `path` (PATH_MAX bytes; the folder's own length is bounded by options.c) and returns it. */
const char *pin_path(char *path, const char *pins, const char *name, const char *suffix);

/* Opens the folder, made if need be, and keeps other daemons out of it for as long as the descriptor is open. Returns it, or -1
 * with `err`: E_EXISTS where another has it. */
int pins_lock(const char *pins, struct error *err);

#endif
