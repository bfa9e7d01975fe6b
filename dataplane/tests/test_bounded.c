/* A child that crashes, hangs or allocates without end dies alone, and its result says which of these it was. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/bounded.h"
#include "check.h"

#define LIMIT (64UL << 20)

static void answer(void *argument, void *memory)
{
	*(int *)memory = *(const int *)argument + 1;
}

static void crash(void *argument, void *memory)
{
	(void)argument;
	(void)memory;
	abort();
}

static void spin(void *argument, void *memory)
{
	(void)argument;
	for (;;)
		++*(volatile uint64_t *)memory;
}

static void sleep_on(void *argument, void *memory)
{
	(void)argument;
	(void)memory;
	for (;;)
		(void)pause();
}

/* Says how many MiB it got. */
static void eat(void *argument, void *memory)
{
	(void)argument;
	while (malloc(1 << 20) != NULL)
		++*(uint64_t *)memory;
}

int main(void)
{
	uint64_t *memory = bounded_memory(sizeof(*memory));
	int question = 41, ended = eventfd(0, 0);
	enum bounded_result spun;

	CHECK(memory != NULL);
	CHECK(bounded_run(answer, &question, memory, 5, LIMIT) == BOUNDED_DONE && *(int *)memory == 42);
	CHECK(bounded_run(crash, NULL, memory, 5, LIMIT) == BOUNDED_CRASHED);
	spun = bounded_run(spin, NULL, memory, 1, LIMIT);
	CHECK(spun == BOUNDED_TIMED_OUT || spun == BOUNDED_STARVED); /* the latter where others fill all cores for four seconds */
	CHECK(bounded_run(sleep_on, NULL, memory, 1, LIMIT) == BOUNDED_STARVED);
	bounded_cancel_on(ended);
	CHECK(eventfd_write(ended, 1) == 0);
	CHECK(bounded_run(sleep_on, NULL, memory, 1000, LIMIT) == BOUNDED_TIMED_OUT); /* not after 1000 s, but at once */
	bounded_cancel_on(-1);
	*memory = 0;
	CHECK(bounded_run(eat, NULL, memory, 30, LIMIT) == BOUNDED_DONE && *memory > 32 && *memory <= 64);
	bounded_memory_free(memory, sizeof(*memory));
	return 0;
}
