/* Codes of refusals beside those of base/error.h (docs/contracts/srv6.md). */
#ifndef SEXTANT_SRV6_CODES_H
#define SEXTANT_SRV6_CODES_H

#include "base/error.h"

#define E_NOT_ALLOWED "not-allowed"
#define E_NOT_AVAILABLE "not-available" /* packets cannot be carried here; `hello` says why */
#define E_KERNEL "kernel"

#endif
