/* Any bytes, as headers of a measured packet. */
#include "decode/print.h"
#include "fuzz.h"

static FILE *nowhere;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	nowhere = fopen("/dev/null", "w");
	MUST(nowhere != NULL);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct srv6_headers headers;

	if (srv6_decode(data, size, &headers) != NULL)
		return 0;
	MUST(headers.bytes <= size && headers.count >= 1 && headers.count <= SRV6_SEGMENTS_MAX && headers.left < headers.count);
	srv6_print(nowhere, &headers);
	return 0;
}
