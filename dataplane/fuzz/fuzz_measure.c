/* The request of sextant-measure, as it comes on its standard input. */
#include "fuzz.h"
#include "measure/request.h"

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct request request;
	struct error err = {0};

	request = (struct request){0};
	MUST((request_read((const char *)data, size, &request, &err) < 0) == (err.code != NULL));
	MUST(request.load_count <= LOADS_MAX && request.core_count <= CALIBRATED_CORES_MAX);
	json_decref(request.json);
	return 0;
}
