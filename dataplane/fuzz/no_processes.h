/*
 * A runner without processes: linked in the place of what forks and waits for answers (--wrap). NFs 'start' at once and
 * work on nothing, the traffic process follows at once. Bounded children (bounded.c) are real.
 */
#ifndef SEXTANT_FUZZ_NO_PROCESSES_H
#define SEXTANT_FUZZ_NO_PROCESSES_H

#include "base/process.h"
#include "chains/nf_change.h"

/* One of the processes that 'run', chosen by `which`, has been killed. */
void kill_a_process(struct runner *runner, uint32_t which);

pid_t __real_process_start(const char *name, int core, process_main run, void *argument);
pid_t __wrap_process_start(const char *name, int core, process_main run, void *argument);
bool __wrap_process_wait_value(pid_t pid, _Atomic uint32_t *word, uint32_t value, struct eventcount *events, uint64_t timeout_ns);
void __real_process_kill(pid_t pid, uint64_t *cpu_ns);
void __wrap_process_kill(pid_t pid, uint64_t *cpu_ns);
int __wrap_process_pin(pid_t pid, int core);
int __wrap_traffic_wait_state(struct runner *runner, struct chain_slot *slot, uint32_t state, struct error *err);
int __wrap_traffic_wait_pause(struct runner *runner, struct chain_slot *slot, struct error *err);
int __wrap_traffic_wait_source(struct runner *runner, struct chain_slot *slot, struct error *err);

#endif
