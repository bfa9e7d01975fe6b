#include "pins.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

const char *pin_path(char *path, const char *pins, const char *name, const char *suffix)
{
	(void)snprintf(path, PATH_MAX, "%s/%s%s", pins, name, suffix);
	return path;
}

int pins_lock(const char *pins, struct error *err)
{
	struct statfs system;
	struct stat folder;
	int opened;

	if (mkdir(pins, 0700) < 0 && errno != EEXIST)
		return fail(err, E_NOT_AVAILABLE, "--pins", "%s cannot be made (%s); it lies on a bpf file system: mount -t bpf bpf /sys/fs/bpf",
			pins, strerror(errno));
	opened = open(pins, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (opened < 0 || fstatfs(opened, &system) < 0 || fstat(opened, &folder) < 0)
		(void)fail(err, E_NOT_AVAILABLE, "--pins", "%s: %s", pins, strerror(errno));
	else if (system.f_type != BPF_FS_MAGIC)
		(void)fail(err, E_NOT_AVAILABLE, "--pins", "%s is not on a bpf file system: mount -t bpf bpf /sys/fs/bpf", pins);
	else if (folder.st_uid != geteuid() || (folder.st_mode & 022) != 0)
		(void)fail(err, E_NOT_AVAILABLE, "--pins", "%s must belong to root and be writable by nobody else", pins);
	else if (flock(opened, LOCK_EX | LOCK_NB) < 0)
		(void)fail(err, E_EXISTS, "--pins", "another daemon works on %s: stop it, or choose another folder", pins);
	else
		return opened;
	if (opened >= 0)
		(void)close(opened);
	return -1;
}
