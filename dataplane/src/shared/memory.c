#include "shared/memory.h"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_log.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>

#include "base/json_log.h"
#include "packets/sizes.h"

/*
 * Beside --memory-mb there is room for the tables of some twenty routers (rte_lpm takes 64 MiB of addresses each).
 * Hugepages for them are taken one by one, so so many must be free. Without hugepages DPDK's heap cannot grow, but its
 * pages are only taken when touched (a memfd, mapped shared): there the space costs nothing until it is used.
 */
#define TABLE_ROOM_MB 1536
#define GROWTH_MAX 64 /* bytes a packet may grow at its end: an ESP trailer is 21 at most */
#define PAGE_COUNT_PATH "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages"

static bool hugepages_are_free(int megabytes)
{
	FILE *file = fopen(PAGE_COUNT_PATH, "re");
	long pages = 0;

	if (file == NULL)
		return false;
	if (fscanf(file, "%ld", &pages) != 1)
		pages = 0;
	(void)fclose(file);
	return pages * 2 >= megabytes;
}

static int start_eal(const struct memory_settings *settings, bool hugepages)
{
	char lcores[32], megabytes[16], name[] = "sextant-runner", lcores_flag[] = "--lcores", m[] = "-m",
		level[] = "--log-level=warning", no_pci[] = "--no-pci", no_telemetry[] = "--no-telemetry",
		in_memory[] = "--in-memory", no_huge[] = "--no-huge", no_shconf[] = "--no-shconf";
	char *args[] = {name, lcores_flag, lcores, m, megabytes, level, no_pci, no_telemetry,
		hugepages ? in_memory : no_huge, hugepages ? NULL : no_shconf, NULL};

	(void)snprintf(lcores, sizeof(lcores), "0@%d", settings->core);
	(void)snprintf(megabytes, sizeof(megabytes), "%d",
		settings->megabytes + (hugepages ? 0 : TABLE_ROOM_MB));
	return rte_eal_init(hugepages ? 9 : 10, args);
}

static int exclude_from_fork(const struct rte_memseg_list *list, void *unused)
{
	size_t bytes = (size_t)list->memseg_arr.len * list->memseg_arr.elt_sz;

	(void)unused;
	if (bytes > 0) /* if refused, forks take longer and nothing else changes */
		(void)madvise(list->memseg_arr.data, bytes, MADV_DONTFORK);
	return 0;
}

/*
 * DPDK keeps a private list of the pages behind its memory: 20 MiB of it where they are no hugepages. Each fork would copy
 * its 5000 page table entries, each death free them, in the kernel, while packets wait for that core. Only the control
 * process reads it, since only there memory is allocated or freed (nf.h).
 */
static void exclude_lists_from_fork(void)
{
	(void)rte_memseg_list_walk(exclude_from_fork, NULL);
}

static int make_pool(struct memory *memory, struct error *err)
{
	static const struct rte_mbuf_dynfield stamp = {
		.name = "sextant_stamp", .size = sizeof(struct packet_stamp), .align = _Alignof(struct packet_stamp)};

	int offset = rte_mbuf_dynfield_register(&stamp);

	/*
	 * Only the traffic process takes and frees packets, so no process that dies can leave the pool half changed.
	 * A stack hands out the packet freed last: a lightly loaded pool stays in the cache.
	 */
	memory->packets = rte_pktmbuf_pool_create_by_ops("sextant-packets", PACKETS, 0, 0,
		RTE_PKTMBUF_HEADROOM + RTE_ALIGN(PACKET_BYTES_MAX + GROWTH_MAX, 64), SOCKET_ID_ANY, "stack");
	memory->stamp_offset = (size_t)offset;
	if (offset < 0 || memory->packets == NULL)
		return fail(err, E_NO_ROOM, "--memory-mb", "no memory for %u packets (%s); raise --memory-mb",
			PACKETS, rte_strerror(rte_errno));
	return 0;
}

int memory_start(const struct memory_settings *settings, struct memory *memory, struct error *err)
{
	cpu_set_t before;

	(void)sched_getaffinity(0, sizeof(before), &before);
	(void)rte_openlog_stream(log_stream());
	memory->hugepages = settings->try_hugepages && hugepages_are_free(settings->megabytes + TABLE_ROOM_MB);
	if (start_eal(settings, memory->hugepages) < 0)
		return fail(err, E_START_FAILED, "--memory-mb", "DPDK failed to start (%s); the log lines above name the cause",
			rte_strerror(rte_errno));
	/* DPDK pins the calling thread; the control process has no core of its own. */
	(void)sched_setaffinity(0, sizeof(before), &before);
	if (make_pool(memory, err) < 0)
		return -1;
	exclude_lists_from_fork();
	return 0;
}
