/* A line of JSON for the headers of a packet (docs/contracts/srv6.md). */
#ifndef SEXTANT_SRV6_PRINT_H
#define SEXTANT_SRV6_PRINT_H

#include <stdio.h>

#include "decode/decode.h"

/* An object without its closing brace, so that a caller can add what it knows. Absent from an entry: what MapInfo says was not
 * collected. */
void srv6_print(FILE *to, const struct srv6_headers *headers);

#endif
