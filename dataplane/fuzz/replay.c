/*
 * Runs a harness without libFuzzer: every file of a folder, then seeded mutations of them, one on top of another.
 *     fuzz-x CORPUS [MUTATIONS [SEED]]      or: fuzz-x FILE
 * An input that a sanitizer speaks at, or that takes longer than LIMIT_S, is written to finding-<pid> and named.
 */
#include <dirent.h>
#include <fcntl.h>
#include <sanitizer/asan_interface.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

#define FILES_MAX 256U
#define LIMIT_S 120U /* under sanitizers, on a busy machine */
#define STACKED 8U   /* mutations on top of each other before it begins anew from a file */

struct input {
	size_t size;
	uint8_t bytes[FUZZ_BYTES_MAX];
};

static struct input files[FILES_MAX], now;
static uint32_t file_count;
static uint64_t case_number;

static void keep_input(void)
{
	char name[64];
	int file;

	(void)snprintf(name, sizeof(name), "finding-%d", (int)getpid());
	file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file >= 0 && write(file, now.bytes, now.size) == (ssize_t)now.size)
		(void)dprintf(STDERR_FILENO, "case %llu: its %zu bytes are in %s\n", (unsigned long long)case_number, now.size,
			name);
	if (file >= 0)
		(void)close(file);
}

static void ended_badly(int number)
{
	keep_input();
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

static void run(void)
{
	/* A copy of exactly this size: a read behind it is seen. */
	uint8_t *copy = malloc(now.size == 0 ? 1 : now.size);

	MUST(copy != NULL);
	memcpy(copy, now.bytes, now.size);
	(void)alarm(LIMIT_S);
	(void)LLVMFuzzerTestOneInput(copy, now.size);
	(void)alarm(0);
	free(copy);
	case_number++;
}

static void read_file(const char *path)
{
	struct input *input = &files[file_count];
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = file < 0 ? -1 : read(file, input->bytes, sizeof(input->bytes));

	MUST(got >= 0 && file_count + 1 < FILES_MAX);
	(void)close(file);
	input->size = (size_t)got;
	file_count++;
}

static void read_folder(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort); /* by name: the same order everywhere */
	char name[4096];

	MUST(count >= 0);
	for (int i = 0; i < count; i++) {
		(void)snprintf(name, sizeof(name), "%s/%s", path, entries[i]->d_name);
		if (entries[i]->d_name[0] != '.')
			read_file(name);
		free(entries[i]);
	}
	free(entries);
}

static void mutate(uint64_t count, uint64_t seed)
{
	for (uint64_t i = 0; i < count; i++) {
		if (i % STACKED == 0)
			now = files[i / STACKED % file_count];
		now.size = fuzz_mutate(now.bytes, now.size, sizeof(now.bytes), seed * 1000003 + i);
		run();
	}
}

int main(int argc, char **argv)
{
	struct stat there;

	MUST(argc > 1 && stat(argv[1], &there) == 0);
	(void)LLVMFuzzerInitialize(&argc, &argv);
	__sanitizer_set_death_callback(keep_input);
	(void)signal(SIGABRT, ended_badly);
	(void)signal(SIGALRM, ended_badly);
	if (S_ISDIR(there.st_mode))
		read_folder(argv[1]);
	else
		read_file(argv[1]);
	MUST(file_count > 0);
	for (uint32_t i = 0; i < file_count; i++) {
		now = files[i];
		run();
	}
	mutate(argc > 2 ? strtoull(argv[2], NULL, 10) : 0, argc > 3 ? strtoull(argv[3], NULL, 10) : 1);
	(void)fprintf(stderr, "%llu inputs\n", (unsigned long long)case_number);
	return 0;
}
