/* CHECK(condition): says where and what, and fails the test program. */
#ifndef SEXTANT_CHECK_H
#define SEXTANT_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition) \
	do { \
		if (!(condition)) { \
			(void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			exit(1); \
		} \
	} while (0)

#endif
