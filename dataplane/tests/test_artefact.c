/* Files named by digest: what is read, and what is refused. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/artefact.h"
#include "check.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C64 "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc"

static char folder[] = "/tmp/sextant-artefact-XXXXXX";

static int read_it(const char *config, size_t most, struct artefact *out, struct error *err)
{
	struct scope scope = {.code = E_BAD_CONFIG, .at = "nfs.0.config", .err = err};
	json_t *json = json_loads(config, 0, NULL);
	int answer;

	CHECK(json != NULL);
	answer = artefact_read(&scope, json, "file", most, out);
	json_decref(json);
	return answer;
}

static void refuses(const char *config, size_t most, const char *why)
{
	struct error err = {0};
	struct artefact out;

	CHECK(read_it(config, most, &out, &err) < 0 && out.bytes == NULL);
	CHECK(strcmp(err.code, E_BAD_CONFIG) == 0 && strcmp(err.field, "nfs.0.config.file") == 0);
	CHECK(strstr(err.message, why) != NULL);
}

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void remove_file(const char *name)
{
	char path[256];

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	CHECK(unlink(path) == 0);
}

int main(void)
{
	struct error err = {0};
	struct artefact out;
	char path[256];

	CHECK(mkdtemp(folder) != NULL);
	refuses("{\"file\": \"sha256:" A64 "\"}", 10, "--artefacts");
	artefact_folder(folder);
	write_file(A64, "abc\n");
	CHECK(read_it("{\"file\": \"sha256:" A64 "\"}", 4, &out, &err) == 0);
	CHECK(out.size == 4 && strcmp((const char *)out.bytes, "abc\n") == 0);
	artefact_free(&out);
	CHECK(read_it("{}", 4, &out, &err) == 0 && out.bytes == NULL);
	CHECK(read_it("{\"file\": null}", 4, &out, &err) == 0 && out.bytes == NULL);
	refuses("{\"file\": \"sha256:" A64 "\"}", 3, "at most 3");
	refuses("{\"file\": \"sha256:" B64 "\"}", 3, "send it to this host again");
	refuses("{\"file\": 7}", 3, "a digest is expected");
	refuses("{\"file\": \"../../etc/passwd\"}", 3, "is not a digest");
	refuses("{\"file\": \"sha256:../../../../../../../../../../../../../../../../etc/passwd\"}", 3, "is not a digest");
	/* Nothing but a regular file, and never through a link. */
	(void)snprintf(path, sizeof(path), "%s/" B64, folder);
	CHECK(symlink("/etc/passwd", path) == 0);
	refuses("{\"file\": \"sha256:" B64 "\"}", 1000000, "cannot be opened");
	(void)snprintf(path, sizeof(path), "%s/" C64, folder);
	CHECK(mkfifo(path, 0600) == 0);
	refuses("{\"file\": \"sha256:" C64 "\"}", 1000000, "regular file");
	remove_file(A64);
	remove_file(B64);
	remove_file(C64);
	CHECK(rmdir(folder) == 0);
	return 0;
}
