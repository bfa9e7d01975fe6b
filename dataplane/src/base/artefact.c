#include "base/artefact.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "sha256:"
#define DIGITS 64U

static const char *folder;

void artefact_folder(const char *path)
{
	folder = path;
}

/* The file's name in the folder: 64 hexadecimal digits and nothing else, so no path leads out of it. */
static const char *file_name(const char *digest)
{
	const char *digits = digest + strlen(PREFIX);

	if (strncmp(digest, PREFIX, strlen(PREFIX)) != 0 || strlen(digits) != DIGITS ||
	    strspn(digits, "0123456789abcdef") != DIGITS)
		return NULL;
	return digits;
}

static int open_file(const struct scope *scope, const char *key, const char *digest)
{
	const char *name = file_name(digest);
	int directory, file;

	if (name == NULL)
		return refuse(scope, key, "'%.80s' is not a digest: 'sha256:' and 64 hexadecimal digits are expected", digest);
	if (folder == NULL)
		return refuse(scope, key, "this runner was started without --artefacts, so no file can be named");
	directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	file = directory < 0 ? -1 : openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	if (file < 0)
		(void)refuse(scope, key, "the file %.80s cannot be opened (%s); send it to this host again", digest,
			strerror(errno));
	if (directory >= 0)
		(void)close(directory);
	return file;
}

static int read_all(int file, uint8_t *bytes, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t got = read(file, bytes + have, size - have);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		have += (size_t)got;
	}
	return 0;
}

static int load(const struct scope *scope, const char *key, int file, size_t most, struct artefact *out)
{
	struct stat stat;

	if (fstat(file, &stat) < 0 || !S_ISREG(stat.st_mode))
		return refuse(scope, key, "is not a regular file");
	if (stat.st_size < 0 || (uint64_t)stat.st_size > most)
		return refuse(scope, key, "the file has %lld bytes; at most %zu are allowed", (long long)stat.st_size, most);
	out->size = (size_t)stat.st_size;
	out->bytes = malloc(out->size + 1);
	if (out->bytes == NULL)
		return refuse(scope, key, "out of memory");
	if (read_all(file, out->bytes, out->size) < 0) {
		artefact_free(out);
		return refuse(scope, key, "the file cannot be read to its end");
	}
	out->bytes[out->size] = 0;
	return 0;
}

int artefact_read(const struct scope *scope, const json_t *object, const char *key, size_t most, struct artefact *out)
{
	const json_t *value = json_object_get(object, key);
	int file, taken;

	*out = (struct artefact){0};
	if (value == NULL || json_is_null(value))
		return 0;
	if (!json_is_string(value))
		return refuse(scope, key, "a digest is expected");
	file = open_file(scope, key, json_string_value(value));
	if (file < 0)
		return -1;
	taken = load(scope, key, file, most, out);
	(void)close(file);
	return taken;
}

void artefact_free(struct artefact *artefact)
{
	free(artefact->bytes);
	*artefact = (struct artefact){0};
}
