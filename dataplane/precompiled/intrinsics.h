/* What DPDK's headers read of the compiler's own: two thirds of what a file of this program takes to compile. */
#include <x86intrin.h>
