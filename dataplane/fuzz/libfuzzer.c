/* libFuzzer's own mutations and ours, in turn: its coverage finds the way, ours gets it past the parser. */
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	return seed % 2 == 0 ? LLVMFuzzerMutate(data, size, most) : fuzz_mutate(data, size, most, seed);
}
