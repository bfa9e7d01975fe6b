#include "base/room.h"

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

uint64_t room_figure(FILE *file, const char *key, uint64_t fallback)
{
	size_t length = strlen(key);
	unsigned long long value;
	char line[256];

	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, key, length) == 0 && sscanf(line + length, "%llu", &value) == 1)
			return value;
	return fallback;
}

static uint64_t figure_of(const char *path, const char *key, uint64_t fallback)
{
	FILE *file = fopen(path, "re");
	uint64_t value = file == NULL ? fallback : room_figure(file, key, fallback);

	if (file != NULL)
		(void)fclose(file);
	return value;
}

/* Lines are as '4:memory:/group' and, of version 2, '0::/group'. */
int room_group(FILE *file, char *path, size_t room)
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
		(void)snprintf(path, room, "%s%s%s", MOUNT, first ? "/memory" : "", strcmp(group, "/") == 0 ? "" : group);
	}
	return version;
}

/* NULL: this kernel shows no groups. */
static const struct names *own_group(char *path, size_t room)
{
	FILE *file = fopen("/proc/self/cgroup", "re");
	int version = file == NULL ? -1 : room_group(file, path, room);

	if (file != NULL)
		(void)fclose(file);
	return version < 0 ? NULL : version == 1 ? &VERSION_1 : &VERSION_2;
}

static uint64_t group_figure(const char *group, const char *name, const char *key, uint64_t fallback)
{
	char path[PATH_MAX_BYTES + 64];

	(void)snprintf(path, sizeof(path), "%s/%s", group, name);
	return figure_of(path, key, fallback);
}

/* Pages of files can be dropped and read again: they count as used, and are no obstacle. */
static uint64_t group_room(const char *group, const struct names *names)
{
	uint64_t limit = group_figure(group, names->limit, "", UINT64_MAX); /* 'max' is no number */
	uint64_t used = group_figure(group, names->usage, "", 0), files = group_figure(group, "memory.stat", "inactive_file ", 0);

	if (limit == UINT64_MAX)
		return limit;
	used -= files < used ? files : used;
	return used < limit ? limit - used : 0;
}

/* A group's memory counts in all groups that it lies in. */
static uint64_t groups_room(void)
{
	char path[PATH_MAX_BYTES];
	const struct names *names = own_group(path, sizeof(path));
	uint64_t least = UINT64_MAX, room;

	while (names != NULL && strlen(path) >= strlen(MOUNT)) {
		room = group_room(path, names);
		least = room < least ? room : least;
		*strrchr(path, '/') = '\0';
	}
	return least;
}

uint64_t room_bytes(void)
{
	uint64_t host = figure_of("/proc/meminfo", "MemAvailable:", UINT64_MAX >> 10) << 10, groups = groups_room();

	return host < groups ? host : groups;
}

static uint64_t kills_so_far(void)
{
	char path[PATH_MAX_BYTES];
	const struct names *names = own_group(path, sizeof(path));
	uint64_t kills = names == NULL ? UINT64_MAX : group_figure(path, names->kills, "oom_kill ", UINT64_MAX);

	return kills != UINT64_MAX ? kills : figure_of("/proc/vmstat", "oom_kill ", 0); /* the root group keeps no count */
}

bool room_claim_kill(void)
{
	static _Atomic uint64_t claimed;
	uint64_t kills = kills_so_far();

	return atomic_exchange(&claimed, kills) < kills;
}
