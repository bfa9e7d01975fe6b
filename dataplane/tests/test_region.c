/* Memory for what is made after a fork. */
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/region.h"
#include "check.h"

#define MIB (1UL << 20)

/* A child that lives already sees what is written later. */
static void a_living_child_sees_it(void)
{
	int asked[2], status;
	char *memory = NULL;
	pid_t pid;

	CHECK(pipe(asked) == 0);
	pid = fork();
	if (pid == 0) {
		bool right = read(asked[0], &memory, sizeof(memory)) == sizeof(memory) && strcmp(memory, "later") == 0;

		_exit(right ? 0 : 1);
	}
	memory = region_alloc(100);
	CHECK(memory != NULL);
	strcpy(memory, "later");
	CHECK(write(asked[1], &memory, sizeof(memory)) == sizeof(memory));
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	region_free(memory);
}

/* 8 MiB hold seven pieces of less than a MiB and a byte; a freed one's place is used again, and is zero again. */
static void room_is_used_again(void)
{
	size_t room = region_free_bytes();
	char *pieces[8];

	for (int i = 0; i < 7; i++) {
		pieces[i] = region_alloc(MIB);
		CHECK(pieces[i] != NULL);
		memset(pieces[i], 0xff, MIB);
	}
	CHECK(region_alloc(MIB) == NULL);
	region_free(pieces[3]);
	CHECK(region_alloc(MIB + 5000) == NULL); /* the gap is too narrow, the rest too */
	CHECK(region_alloc(MIB) == pieces[3]);
	for (unsigned long i = 0; i < MIB; i++)
		CHECK(pieces[3][i] == 0);
	for (int i = 0; i < 7; i++)
		region_free(pieces[i]);
	CHECK(region_free_bytes() == room);
	pieces[0] = region_alloc(8 * MIB - 1);
	CHECK(pieces[0] != NULL && region_free_bytes() == 0);
	region_free(pieces[0]);
	region_free(NULL);
	CHECK(region_free_bytes() == room);
}

static void pieces_are_bounded(void)
{
	void *pieces[256];
	int count = 0;

	while (count < 256 && (pieces[count] = region_alloc(1)) != NULL)
		count++;
	CHECK(count == 128);
	while (count > 0)
		region_free(pieces[--count]);
}

int main(void)
{
	CHECK(region_open(0) == 0 && region_alloc(1) == NULL && region_free_bytes() == 0);
	CHECK(region_open(8 * MIB) == 0 && region_free_bytes() == 8 * MIB);
	a_living_child_sees_it();
	room_is_used_again();
	pieces_are_bounded();
	return 0;
}
