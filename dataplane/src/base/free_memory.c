#include "base/free_memory.h"

#include <stdatomic.h>
#include <string.h>

#define MOUNT "/sys/fs/cgroup"
#define PATH_MAX_BYTES 4096

/* The files' names in the two versions of cgroups. */
struct names {
	const char *limit, *usage, *kills;
};

static const struct names VERSION_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "memory.oom_control"};
static const struct names VERSION_2 = {"memory.max", "memory.current", "memory.events"};

uint64_t free_memory_read_figure(FILE *file, const char *key, uint64_t fallback)
{
	size_t length = strlen(key);
	unsigned long long value;
	char line[256];

	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, key, length) == 0 && sscanf(line + length, "%llu", &value) == 1)
			return value;
	return fallback;
}

static uint64_t read_figure(const char *path, const char *key, uint64_t fallback)
{
	FILE *file = fopen(path, "re");
	uint64_t value = file == NULL ? fallback : free_memory_read_figure(file, key, fallback);

	if (file != NULL)
		(void)fclose(file);
	return value;
}

/* Lines are as '4:memory:/group' and, of version 2, '0::/group'. */
int free_memory_read_cgroup(FILE *file, char *path, size_t capacity)
{
	char line[PATH_MAX_BYTES];
	int version = -1;

	while (version != 1 && fgets(line, sizeof(line), file) != NULL) {
		char *controllers = strchr(line, ':'), *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
		bool first, unified;

		if (group == NULL)
			continue;
		*group++ = '\0';
		group[strcspn(group, "\n")] = '\0';
		first = strcmp(controllers, ":memory") == 0;
		unified = strcmp(line, "0:") == 0;
		if (!first && !unified)
			continue;
		version = first ? 1 : 2;
		(void)snprintf(path, capacity, "%s%s%s", MOUNT, first ? "/memory" : "", strcmp(group, "/") == 0 ? "" : group);
	}
	return version;
}

/* NULL: this kernel shows no cgroups. */
static const struct names *own_cgroup(char *path, size_t capacity)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	int version = file == NULL ? -1 : free_memory_read_cgroup(file, path, capacity);

	if (file != NULL)
		(void)fclose(file);
	return version < 0 ? NULL : version == 1 ? &VERSION_1 : &VERSION_2;
}

static uint64_t cgroup_figure(const char *group, const char *name, const char *key, uint64_t fallback)
{
	char path[PATH_MAX_BYTES + 64];

	(void)snprintf(path, sizeof(path), "%s/%s", group, name);
	return read_figure(path, key, fallback);
}

/* The page cache counts as used, but the kernel can drop it. */
static uint64_t cgroup_free_bytes(const char *group, const struct names *names)
{
	uint64_t limit = cgroup_figure(group, names->limit, "", UINT64_MAX); /* 'max' is no number */
	uint64_t used = cgroup_figure(group, names->usage, "", 0), files = cgroup_figure(group, "memory.stat", "inactive_file ", 0);

	if (limit == UINT64_MAX)
		return limit;
	used -= files < used ? files : used;
	return used < limit ? limit - used : 0;
}

/* The memory of a cgroup counts in each of its ancestors too. */
static uint64_t cgroups_free_bytes(void)
{
	char path[PATH_MAX_BYTES];
	const struct names *names = own_cgroup(path, sizeof(path));
	uint64_t least = UINT64_MAX, free_bytes;

	while (names != NULL && strlen(path) >= strlen(MOUNT)) {
		free_bytes = cgroup_free_bytes(path, names);
		least = free_bytes < least ? free_bytes : least;
		*strrchr(path, '/') = '\0';
	}
	return least;
}

uint64_t free_memory_bytes(void)
{
	uint64_t host = read_figure("/proc/meminfo", "MemAvailable:", UINT64_MAX >> 10) << 10, groups = cgroups_free_bytes();

	return host < groups ? host : groups;
}

static uint64_t oom_kill_count(void)
{
	char path[PATH_MAX_BYTES];
	const struct names *names = own_cgroup(path, sizeof(path));
	uint64_t kills = names == NULL ? UINT64_MAX : cgroup_figure(path, names->kills, "oom_kill ", UINT64_MAX);

	return kills != UINT64_MAX ? kills : read_figure("/proc/vmstat", "oom_kill ", 0); /* the root group keeps no count */
}

bool free_memory_claim_oom_kill(void)
{
	static _Atomic uint64_t claimed;
	uint64_t kills = oom_kill_count();

	return atomic_exchange(&claimed, kills) < kills;
}
