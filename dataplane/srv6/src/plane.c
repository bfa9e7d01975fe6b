#include "plane.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pins.h"

static const char *const PROGRAM_NAMES[PROGRAMS] = {"srv6_edge", "srv6_core", "srv6_nf_port", "srv6_far", "srv6_queue"};
static const char *const MAP_NAMES[MAPS] = {"srv6_paths", "srv6_ways", "srv6_functions", "srv6_sources", "srv6_locators",
	"srv6_nf_ports", "srv6_nf_states", "srv6_attached", "srv6_counts", "srv6_mirrors",
	"srv6_returns"};

static void remember(struct plane *plane, int program)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);

	if (program >= 0 && bpf_obj_get_info_by_fd(program, &info, &size) == 0)
		plane->ours[plane->ours_count++] = info.id;
}

/* A predecessor that died while it replaced its own predecessor's has left both. */
static void remember_predecessors(struct plane *plane)
{
	static const char *const suffixes[] = {"", NEXT_PIN};
	char path[PATH_MAX];

	for (int i = 0; i < PROGRAMS; i++) {
		for (int j = 0; j < 2; j++) {
			int program = bpf_obj_get(pin_path(path, plane->pins, PROGRAM_NAMES[i], suffixes[j]));

			remember(plane, program);
			if (program >= 0)
				(void)close(program);
		}
	}
}

static int open_object(struct plane *plane, const char *file, struct error *err)
{
	char path[PATH_MAX];

	plane->object = bpf_object__open_file(file, NULL);
	if (plane->object == NULL)
		return fail(err, E_NOT_AVAILABLE, "--object", "%s cannot be read: %s", file, strerror(errno));
	for (int i = 0; i < MAPS; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(plane->object, MAP_NAMES[i]);

		if (map == NULL || bpf_map__set_pin_path(map, pin_path(path, plane->pins, MAP_NAMES[i], "")) < 0)
			return fail(err, E_NOT_AVAILABLE, "--object", "%s has no map %s: it is of another version", file, MAP_NAMES[i]);
	}
	return 0;
}

/* Where the kernel says what its types are, and lends the function that leads to them (Linux 6.2). */
static bool kernel_shows_queues(void)
{
	struct btf *kernel = btf__load_vmlinux_btf();
	bool is_there = kernel != NULL && btf__find_by_name_kind(kernel, "bpf_cast_to_kern_ctx", BTF_KIND_FUNC) > 0;

	btf__free(kernel);
	return is_there;
}

int plane_load(struct plane *plane, const struct options *options, struct error *err)
{
	struct bpf_program *queue;
	char path[PATH_MAX];
	int result;

	plane->pins = options->pins;
	plane->adopted = access(pin_path(path, plane->pins, MAP_NAMES[MAP_ATTACHED], ""), F_OK) == 0;
	remember_predecessors(plane);
	if (open_object(plane, options->object, err) < 0)
		return -1;
	queue = bpf_object__find_program_by_name(plane->object, PROGRAM_NAMES[PROGRAM_QUEUE]);
	if (queue != NULL && !kernel_shows_queues())
		(void)bpf_program__set_autoload(queue, false);
	result = bpf_object__load(plane->object);
	if (result < 0)
		return fail(err, E_NOT_AVAILABLE, "", "the kernel does not take the programs (%s); it needs CONFIG_BPF_SYSCALL, a root "
			"with CAP_BPF and CAP_PERFMON (or CAP_SYS_ADMIN), and maps in %s of the same version: otherwise start it once with --clean",
			strerror(-result), plane->pins);
	for (int i = 0; i < MAPS; i++)
		plane->maps[i] = bpf_object__find_map_fd_by_name(plane->object, MAP_NAMES[i]);
	for (int i = 0; i < PROGRAMS; i++) {
		struct bpf_program *program = bpf_object__find_program_by_name(plane->object, PROGRAM_NAMES[i]);

		if (program == NULL)
			return fail(err, E_NOT_AVAILABLE, "--object", "it has no program %s: it is of another version", PROGRAM_NAMES[i]);
		plane->programs[i] = bpf_program__fd(program);
		if (i == PROGRAM_QUEUE && plane->programs[i] < 0)
			continue;
		remember(plane, plane->programs[i]);
		(void)unlink(pin_path(path, plane->pins, PROGRAM_NAMES[i], NEXT_PIN));
		if (bpf_obj_pin(plane->programs[i], path) < 0)
			return fail(err, E_NOT_AVAILABLE, "--pins", "%s: %s", path, strerror(errno));
	}
	return 0;
}

int plane_replace_pins(struct plane *plane, struct error *err)
{
	char next[PATH_MAX], path[PATH_MAX];

	for (int i = 0; i < PROGRAMS; i++)
		if (plane->programs[i] >= 0 && rename(pin_path(next, plane->pins, PROGRAM_NAMES[i], NEXT_PIN), pin_path(path, plane->pins, PROGRAM_NAMES[i], "")) < 0)
			return fail(err, E_NOT_AVAILABLE, "--pins", "%s: %s", path, strerror(errno));
	return 0;
}

void plane_open_pins(struct plane *plane, const char *pins)
{
	char path[PATH_MAX];

	plane->pins = pins;
	remember_predecessors(plane);
	for (int i = 0; i < MAPS; i++)
		plane->maps[i] = bpf_obj_get(pin_path(path, pins, MAP_NAMES[i], ""));
}

void plane_remove_pins(const char *pins)
{
	char path[PATH_MAX];

	for (int i = 0; i < MAPS; i++)
		(void)unlink(pin_path(path, pins, MAP_NAMES[i], ""));
	for (int i = 0; i < PROGRAMS; i++) {
		(void)unlink(pin_path(path, pins, PROGRAM_NAMES[i], NEXT_PIN));
		(void)unlink(pin_path(path, pins, PROGRAM_NAMES[i], ""));
	}
}

bool plane_is_ours(const struct plane *plane, uint32_t program_id)
{
	for (size_t i = 0; i < plane->ours_count; i++)
		if (plane->ours[i] == program_id)
			return true;
	return false;
}

void plane_each(const struct plane *plane, enum map map, bool (*each)(void *context, const void *key, void *value), void *context)
{
	union {
		uint64_t aligned;
		uint8_t bytes[KEY_BYTES_MAX];
	} key, next;
	union {
		uint64_t aligned;
		uint8_t bytes[VALUE_BYTES_MAX];
	} value;
	bool more = bpf_map_get_next_key(plane->maps[map], NULL, &key) == 0;

	while (more) {
		bool is_there = bpf_map_lookup_elem(plane->maps[map], &key, &value) == 0;

		more = bpf_map_get_next_key(plane->maps[map], &key, &next) == 0; /* before the entry may go: it would begin again */
		if (is_there && each(context, &key, &value))
			(void)bpf_map_delete_elem(plane->maps[map], &key);
		key = next;
	}
}

int plane_put(const struct plane *plane, enum map map, const void *key, const void *value, struct error *err)
{
	if (bpf_map_update_elem(plane->maps[map], key, value, BPF_ANY) == 0)
		return 0;
	if (errno == E2BIG || errno == ENOSPC)
		return fail(err, E_NO_ROOM, "", "%s is full: remove what is not in use", MAP_NAMES[map]);
	return fail(err, E_KERNEL, "", "%s takes no entry: %s", MAP_NAMES[map], strerror(errno));
}

bool plane_get(const struct plane *plane, enum map map, const void *key, void *value)
{
	return bpf_map_lookup_elem(plane->maps[map], key, value) == 0;
}

void plane_take(const struct plane *plane, enum map map, const void *key)
{
	(void)bpf_map_delete_elem(plane->maps[map], key);
}
