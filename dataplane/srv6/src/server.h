/* Connections: who may speak, and how much. */
#ifndef SEXTANT_SRV6_SERVER_H
#define SEXTANT_SRV6_SERVER_H

#include "daemon.h"

/* Until SIGTERM or SIGINT, which `signals` (a signalfd) reports. */
void server_run(struct daemon *daemon, int listener, int signals);

#endif
