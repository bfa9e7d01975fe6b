/* What the kernel writes about memory groups is read as it is, of both versions, and what is not there leaves the rest alone. */
#include <stdlib.h>
#include <string.h>

#include "base/free_memory.h"
#include "check.h"

static FILE *text(const char *content)
{
	FILE *file = fmemopen((void *)(uintptr_t)content, strlen(content), "r");

	CHECK(file != NULL);
	return file;
}

static uint64_t figure(const char *content, const char *key)
{
	FILE *file = text(content);
	uint64_t value = free_memory_read_figure(file, key, 77);

	(void)fclose(file);
	return value;
}

static void figures_are_found_by_their_key(void)
{
	CHECK(figure("MemTotal:  32 kB\nMemAvailable:    12345 kB\n", "MemAvailable:") == 12345);
	CHECK(figure("4096\n", "") == 4096);
	CHECK(figure("max\n", "") == 77); /* no limit, in version 2 */
	CHECK(figure("oom_kill_disable 0\nunder_oom 0\noom_kill 3\n", "oom_kill ") == 3);
	CHECK(figure("low 0\noom 5\noom_kill 2\noom_group_kill 1\n", "oom_kill ") == 2);
	CHECK(figure("low 0\n", "oom_kill ") == 77);
}

static int group(const char *content, char path[64])
{
	FILE *file = text(content);
	int version = free_memory_read_cgroup(file, path, 64);

	(void)fclose(file);
	return version;
}

static void the_group_is_that_of_the_memory_controller(void)
{
	char path[64];

	CHECK(group("5:devices:/a\n4:memory:/b/c\n0::/d\n", path) == 1 && strcmp(path, "/sys/fs/cgroup/memory/b/c") == 0);
	CHECK(group("0::/d\n4:memory:/\n", path) == 1 && strcmp(path, "/sys/fs/cgroup/memory") == 0);
	CHECK(group("0::/system.slice/x.service\n", path) == 2 &&
		strcmp(path, "/sys/fs/cgroup/system.slice/x.service") == 0);
	CHECK(group("0::/\n", path) == 2 && strcmp(path, "/sys/fs/cgroup") == 0);
	CHECK(group("5:devices:/a\nnonsense\n", path) == -1);
}

int main(void)
{
	figures_are_found_by_their_key();
	the_group_is_that_of_the_memory_controller();
	CHECK(free_memory_bytes() > 0 && free_memory_bytes() < UINT64_MAX >> 10);
	(void)free_memory_claim_oom_kill();
	CHECK(!free_memory_claim_oom_kill());
	return 0;
}
