/*
 * A conversation over the control socket: one request a line, against a runner that is whole but for its processes
 * (no_processes.c). A line '!' kills the process of an NF. Afterwards all chains are removed, and nothing may be left.
 */
#include <rte_eal.h>
#include <rte_malloc.h>
#include <string.h>

#include "base/cpu_list.h"
#include "base/region.h"
#include "chains/chain.h"
#include "control/protocol.h"
#include "fuzz.h"
#include "nf/lpm_table.h"
#include "no_processes.h"

static struct runner runner;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char *args[] = {(*argv)[0], (char[]){"--no-huge"}, (char[]){"-m"}, (char[]){"1024"}, (char[]){"--no-pci"},
		(char[]){"--no-telemetry"}, (char[]){"--no-shconf"}, (char[]){"--log-level=error"}, NULL};

	(void)argc;
	MUST(rte_eal_init(8, args) >= 0 && region_open(1 << 20) == 0);
	(void)freopen("/dev/null", "w", stdout);
	runner.shared = shared_make();
	MUST(runner.shared != NULL);
	runner.nonce = "00000000000000000000000000000000";
	runner.traffic_pid = -1;
	for (size_t core = 0; core < CORES_MAX; core++) /* core_check asks the machine which are online */
		CPU_SET(core, &runner.cores);
	return 0;
}

static unsigned int heap_pieces(void)
{
	struct rte_malloc_socket_stats stats;
	unsigned int pieces = 0;

	while (lpm_table_free_spares())
		;
	for (int socket = 0; socket < RTE_MAX_NUMA_NODES; socket++)
		if (rte_malloc_get_socket_stats(socket, &stats) == 0)
			pieces += stats.alloc_count;
	return pieces;
}

static void ask(const char *line, size_t length)
{
	json_t *answer;
	char *text;

	if (length > 0 && line[0] == '!') {
		kill_a_process(&runner, length > 1 ? (uint8_t)line[1] : 0);
		return;
	}
	answer = protocol_answer(&runner, line, length);
	MUST(json_is_boolean(json_object_get(answer, "ok")) && json_object_get(answer, "id") != NULL);
	MUST(json_is_true(json_object_get(answer, "ok")) ||
		json_string_length(json_object_get(json_object_get(answer, "error"), "message")) > 0);
	text = json_dumps(answer, JSON_COMPACT); /* fails where a text is no UTF-8 */
	MUST(text != NULL);
	free(text);
	json_decref(answer);
}

static void remove_all(void)
{
	for (uint32_t i = 0; i < CHAINS_MAX; i++) {
		struct error err = {0};
		uint64_t lost;

		MUST(!runner.chains[i].used || chain_remove(&runner, &runner.chains[i], &lost, &err) == 0);
	}
	for (uint32_t i = 0; i < NFS_MAX; i++)
		MUST(!runner.nfs[i].used);
	for (uint32_t i = 0; i < GROUPS_MAX; i++)
		MUST(!runner.groups[i].used);
	runner.shutting_down = false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;
	unsigned int pieces = heap_pieces();
	size_t room = region_free_bytes();

	while (at < end) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));

		ask(at, (size_t)((stop == NULL ? end : stop) - at));
		at = stop == NULL ? end : stop + 1;
	}
	remove_all();
	MUST(heap_pieces() == pieces && region_free_bytes() == room);
	return 0;
}
