/*
 * A harness feeds one untrusted input to the code that reads it; whatever it is, no sanitizer may speak. With clang's
 * libFuzzer it is linked as that asks (-Dlibfuzzer=true); without, replay.c runs the corpus and seeded mutations of it.
 */
#ifndef SEXTANT_FUZZ_H
#define SEXTANT_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUZZ_BYTES_MAX 16384U

/* An invariant of the code under test: its breach is a finding like any other. */
#define MUST(condition) \
	do { \
		if (!(condition)) { \
			(void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* mutate.c: changes `data` in place, to at most `most` bytes; returns its new length. Same seed, same change. */
size_t fuzz_mutate(uint8_t *data, size_t size, size_t most, uint64_t seed);

#endif
