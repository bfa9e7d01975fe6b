/* What the daemon has in hand. Requests are answered one after the other, whoever asks: `lock` is held meanwhile. */
#ifndef SEXTANT_SRV6_DAEMON_H
#define SEXTANT_SRV6_DAEMON_H

#include <pthread.h>

#include "plane.h"
#include "rings.h"

struct daemon {
	const struct options *options;
	struct plane plane;
	int netlink;
	uint64_t generation; /* of its links; 0: of a daemon of before they had one */
	uint32_t local; /* the port that packets for this host's own segments go into */
	struct rings *rings;
	struct error reason; /* why packets cannot be carried here; no code where they can */
	struct error no_firewalls; /* why NFs in the kernel cannot be had; no code where they can */
	pthread_mutex_t lock;
};

#endif
