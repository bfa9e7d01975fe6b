/* The traffic process: source and sink of all chains, one thread on the traffic core, and the pool's only user. */
#ifndef SEXTANT_TRAFFIC_H
#define SEXTANT_TRAFFIC_H

/* Never returns; for process_start. The argument is a struct traffic with `shared` and `memory` set. */
void traffic_main(void *argument);

#endif
