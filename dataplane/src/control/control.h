/* The control process's event loop: the socket, its clients, signals, and the deaths of children. */
#ifndef SEXTANT_CONTROL_H
#define SEXTANT_CONTROL_H

#include "chains/runner.h"
#include "control/options.h"

/* Listens on options.socket_path (mode 0600); refuses a path that another runner answers on. The fd, or -1. */
int control_listen(const struct options *options, struct error *err);

/* Blocks the signals that the loop reads; before any fork. The signal fd, or -1. */
int control_signals(void);

/* Runs until `shutdown`, SIGTERM, SIGINT, or the death of the traffic process; sets runner->exit_status. */
void control_run(struct runner *runner, int listener, int signals);

#endif
