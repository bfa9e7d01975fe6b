/* Reading the one untrusted request: docs/measuring.md. */
#ifndef SEXTANT_MEASURE_REQUEST_H
#define SEXTANT_MEASURE_REQUEST_H

#include "measure/load.h"
#include "measure/timetable.h"

#define REQUEST_BYTES_MAX (1U << 20)
#define CALIBRATED_CORES_MAX 64U

enum mode { MODE_DESCRIBE, MODE_CALIBRATE, MODE_SOLO, MODE_COLOCATION, MODE_SHARED_CORE };

struct request {
	json_t *json; /* configurations point into it */
	enum mode mode;
	uint32_t load_count;
	struct load loads[LOADS_MAX]; /* 0: the NF whose figures are asked for */
	struct timetable timetable;
	uint32_t core_count; /* to calibrate */
	int cores[CALIBRATED_CORES_MAX];
	uint64_t sweep_bytes;
};

extern const char *const MODE_NAMES[];

/* Reads `length` bytes of JSON; -1 with the field and the cause in `err`. */
int request_read(const char *text, size_t length, struct request *request, struct error *err);

#endif
