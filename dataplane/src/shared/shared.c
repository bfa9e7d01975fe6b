#include "shared/shared.h"

#include <sys/mman.h>

struct shared *shared_make(void)
{
	void *memory = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}
