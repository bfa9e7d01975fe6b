/*
 * sextant-runner: moves the packets of service function chains on this machine's cores. One control process (this),
 * one traffic process, and a process an NF or a group of NFs. Requests and answers: docs/contracts/runner.md.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/artefact.h"
#include "base/bounded.h"
#include "base/free_memory.h"
#include "base/json_log.h"
#include "base/process.h"
#include "base/region.h"
#include "chains/build.h"
#include "control/control.h"
#include "traffic/traffic.h"

#define START_BYTES (64U << 20) /* 38 MiB of packets; rings, counters, and what DPDK and the libraries keep */
#define START_SECONDS 10U

static struct options options;
static struct runner runner;
static struct traffic traffic;

/* In a child: touches as much memory as the packets, rings and counters will take. */
static void touch(void *argument, void *memory)
{
	(void)argument;
	(void)memset(memory, 1, START_BYTES);
}

/* With too little memory the OOM killer would end this process during its start, without a message. */
static int try_memory(struct error *err)
{
	void *memory = bounded_memory(START_BYTES);
	enum bounded_result end = memory == NULL ? BOUNDED_OUT_OF_MEMORY : bounded_run(touch, NULL, memory, START_SECONDS, 0);

	bounded_memory_free(memory, START_BYTES);
	if (end == BOUNDED_DONE)
		return 0;
	return fail(err, E_NO_ROOM, "--memory-mb", "fewer than %u MiB of memory are free for packets and counters; free some, or raise "
		"the memory limit of the cgroup", START_BYTES >> 20);
}

static int start(struct error *err)
{
	(void)free_memory_claim_oom_kill(); /* processes killed before now are not ours */
	(void)setsid(); /* fails if it is a session leader already, which is fine */
	runner.started_ns = now_ns();
	runner.start_time = process_start_time(getpid());
	if (try_memory(err) < 0)
		return -1;
	runner.shared = shared_make();
	if (runner.shared == NULL)
		return fail(err, E_NO_ROOM, "", "no shared memory for counters and rings");
	if (region_open((size_t)options.replay_mb << 20) < 0)
		return fail(err, E_NO_ROOM, "--replay-mb", "cannot map memory for captures (%s); lower it", strerror(errno));
	if (memory_start(&options.memory, &runner.memory, err) < 0)
		return -1;
	traffic.shared = runner.shared;
	traffic.memory = &runner.memory;
	runner.traffic = &traffic;
	runner.traffic_pid = process_start("sx-traffic", options.memory.core, traffic_main, &traffic);
	if (runner.traffic_pid <= 0 ||
	    !process_wait_value(runner.traffic_pid, &runner.shared->traffic_ready, 1, &runner.shared->control_events,
		    READY_TIMEOUT_NS))
		return fail(err, E_START_FAILED, "", "the traffic process was not ready within 5 s; see the log");
	return 0;
}

/* Children have nothing to save; those left die with this process in any case (PR_SET_PDEATHSIG). */
static void end_children(void)
{
	uint64_t ignored = 0;

	for (uint32_t i = 0; i < GROUPS_MAX; i++)
		if (runner.groups[i].used && runner.groups[i].pid > 0)
			process_kill(runner.groups[i].pid, &ignored);
	if (runner.traffic_pid > 0)
		process_kill(runner.traffic_pid, &ignored);
}

int main(int argc, char **argv)
{
	struct error err = {0};
	int signals, listener;

	if (options_read(argc, argv, &options, &err) < 0) {
		log_error("%s: %s", err.field, err.message);
		(void)fputs(OPTIONS_USAGE, stderr);
		return 2;
	}
	runner.nonce = options.nonce;
	runner.traffic_core = options.memory.core;
	runner.cores = options.cores;
	artefact_folder(options.artefacts);
	signals = control_signals();
	/* The socket comes first: a second runner on the same path ends before it allocates memory. */
	listener = control_listen(&options, &err);
	if (signals < 0 || listener < 0 || start(&err) < 0) {
		log_error("%s: %s", err.field, err.message);
		if (listener >= 0)
			(void)unlink(options.socket_path);
		return 1;
	}
	log_info("ready: traffic on core %d, %s, socket %s", options.memory.core,
		runner.memory.hugepages ? "hugepages" : "no hugepages", options.socket_path);
	control_run(&runner, listener, signals);
	(void)unlink(options.socket_path);
	end_children();
	log_info("stopped");
	if (!build_stop(&runner))
		_exit(runner.exit_status); /* a library is still running: exit handlers would free what it uses */
	return runner.exit_status;
}
