/*
 * sextant-srv6-nf: one NF of the testbed's types that works on packets of chains between hosts, in a process without any privilege.
 * The main thread works on packets, another answers the control socket (docs/contracts/srv6-nf.md).
 */
#include <pthread.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "base/artefact.h"
#include "base/confined.h"
#include "base/eventcount.h"
#include "base/json_log.h"
#include "base/process.h"
#include "base/unix_listener.h"
#include "shell/control.h"
#include "shell/options.h"

static struct shell_options options;
static struct shell shell;
static struct line_server server = {.answer = shell_answer, .argument = &shell};

/* DPDK for its tables and packet buffers only: ordinary pages, taken as they are touched; no device, no file. */
static int start_dpdk(struct error *err)
{
	char lcores[32], megabytes[16], name[] = "sextant-srv6-nf", lcores_flag[] = "--lcores", m[] = "-m", level[] = "--log-level=error",
		no_pci[] = "--no-pci", no_telemetry[] = "--no-telemetry", no_huge[] = "--no-huge", no_shconf[] = "--no-shconf";
	char *args[] = {name, lcores_flag, lcores, m, megabytes, level, no_pci, no_telemetry, no_huge, no_shconf, NULL};
	cpu_set_t before;

	(void)sched_getaffinity(0, sizeof(before), &before);
	(void)snprintf(lcores, sizeof(lcores), "0@%d", sched_getcpu());
	(void)snprintf(megabytes, sizeof(megabytes), "%d", options.megabytes);
	(void)rte_openlog_stream(log_stream());
	if (rte_eal_init(10, args) < 0)
		return fail(err, E_START_FAILED, "--memory-mb", "DPDK failed to start (%s); the log lines above name the cause",
			rte_strerror(rte_errno));
	/* DPDK pins the calling thread; where an NF runs, its process's affinity and group say. */
	(void)sched_setaffinity(0, sizeof(before), &before);
	return 0;
}

static int start(struct error *err)
{
	struct scope scope = {.code = E_BAD_CONFIG, .at = "config", .err = err};
	struct work *work = &shell.work;

	shell.started_ns = now_ns();
	shell.worker = pthread_self();
	work->type = options.type;
	artefact_folder(options.artefacts);
	server.signals = line_server_signals();
	if (server.signals < 0)
		return fail(err, E_START_FAILED, "", "no descriptor for signals");
	if (packet_port_open(&work->port, options.fd, err) < 0 || start_dpdk(err) < 0 || work_prepare(work, err) < 0)
		return -1;
	work->state = work->type->open(options.config, &scope, "0");
	if (work->state == NULL)
		return -1;
	/* Last: whoever can connect finds an NF that works. */
	server.listener = unix_listen(options.control, "--control", err);
	return server.listener < 0 ? -1 : confine_sockets(err);
}

/* Ends the process: the other thread holds nothing that outlives it, and may be anywhere in a library. */
static void *answer_requests(void *unused)
{
	(void)unused;
	line_server_run(&server);
	(void)unlink(options.control);
	log_info("stopped");
	_exit(0);
}

int main(int argc, char **argv)
{
	struct error err = {0};
	pthread_t answering;

	if (shell_options_read(argc, argv, &options, &err) < 0) {
		log_error("%s: %s", err.field, err.message);
		(void)fputs(SHELL_USAGE, stderr);
		return 2;
	}
	if (start(&err) < 0) {
		log_error("%s: %s", err.field, err.message);
		return 1;
	}
	if (pthread_create(&answering, NULL, answer_requests, NULL) != 0) {
		(void)unlink(options.control);
		log_error("no thread for the control socket");
		return 1;
	}
	process_set_short_slice();
	log_info("ready: %s, MTU %u, socket %s", options.type->name, shell.work.port.mtu, options.control);
	work_run(&shell.work);
}
