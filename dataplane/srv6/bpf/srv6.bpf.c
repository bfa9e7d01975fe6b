/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The programs, in one object: they share its maps. */
#include <stddef.h>

#include "core.h"
#include "edge.h"
#include "far.h"
#include "nf_port.h"
#include "queue.h"

char licence[] SEC("license") = "Dual MIT/GPL";
