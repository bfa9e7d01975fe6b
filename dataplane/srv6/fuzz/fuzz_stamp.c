/* Frames of any content at the sink: what is read of one stays inside it, and whatever it says, the counts hold together. */
#include <string.h>

#include "fuzz.h"
#include "source/receiver.h"
#include "source/stamp.h"

static struct receiver receiver;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct error err = {0};

	(void)argc;
	(void)argv;
	MUST(receiver_prepare(&receiver, &err) == 0);
	return 0;
}

static void note(const uint8_t *frame, uint32_t length)
{
	uint8_t *copy = malloc(length > 0 ? length : 1); /* of its own, so that a read behind it is seen */

	MUST(copy != NULL);
	memcpy(copy, frame, length);
	receiver_note(&receiver, copy, length, 1000000000ULL);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t frames = counter_read(&receiver.delivered) + counter_read(&receiver.unstamped), counted = 0;

	note(data, (uint32_t)size);
	MUST(counter_read(&receiver.delivered) + counter_read(&receiver.unstamped) == frames + 1);
	if (counter_read(&receiver.delivered) % 1024 != 0)
		return 0;
	for (uint32_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		counted += counter_read(&receiver.latency[i]);
	MUST(counted == counter_read(&receiver.delivered));
	return 0;
}
