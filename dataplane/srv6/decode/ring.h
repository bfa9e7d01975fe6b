/* Prints the mirrors of a pinned ring as they come. */
#ifndef SEXTANT_SRV6_RING_H
#define SEXTANT_SRV6_RING_H

/* Until `count` mirrors were printed, or none came for `idle_ms`. Returns 0, or 1 when the ring cannot be opened (said on stderr). */
int ring_print(const char *path, long count, int idle_ms);

#endif
