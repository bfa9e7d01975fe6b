#include "packets/payload.h"

#include <string.h>

#include "base/random.h"
#include "packets/checksum.h"
#include "packets/sizes.h"

#define STREAM 4U
#define POOL_SEED 1U
#define POOL_STARTS 16384U /* places at which a packet's bytes may start; even, so that words stay words */
#define POOL_BYTES (2 * POOL_STARTS + PACKET_BYTES_MAX)

static struct {
	uint8_t bytes[POOL_BYTES];
	uint32_t sums[POOL_BYTES / 2 + 1]; /* of the words before each word */
} pool;

void payload_pool_fill(void)
{
	uint64_t random = random_start(POOL_SEED, STREAM);

	for (uint32_t i = 0; i < POOL_BYTES; i++)
		pool.bytes[i] = (uint8_t)random_u32(&random);
	for (uint32_t i = 0; i < POOL_BYTES / 2; i++)
		pool.sums[i + 1] = pool.sums[i] + (uint32_t)(pool.bytes[2 * i] << 8 | pool.bytes[2 * i + 1]);
}

void payload_start(struct payload *payload, const struct payload_config *config, uint64_t seed)
{
	payload->config = config;
	payload->random = random_start(seed, STREAM);
	payload->match_below = config->kind == PAYLOAD_MATCHES ? (uint64_t)(config->match_share * 0x1p32) : 0;
}

static uint64_t write_random(struct payload *payload, uint8_t *out, uint32_t length)
{
	uint32_t start = random_below(&payload->random, POOL_STARTS);
	const uint8_t *bytes = pool.bytes + 2 * start;
	uint64_t sum = pool.sums[start + length / 2] - pool.sums[start];

	memcpy(out, bytes, length);
	return length % 2 == 0 ? sum : sum + (uint32_t)(bytes[length - 1] << 8);
}

/* The strings fit into every packet of the source: that was checked when it was read. */
static uint64_t insert_match(struct payload *payload, uint8_t *out, uint32_t length)
{
	uint32_t which = random_below(&payload->random, payload->config->match_count);
	uint32_t bytes = payload->config->matches[which].length;

	memcpy(out + random_below(&payload->random, length - bytes + 1), payload->config->matches[which].bytes, bytes);
	return checksum_sum(out, length);
}

uint64_t payload_write(struct payload *payload, uint8_t *out, uint32_t length)
{
	uint64_t sum = write_random(payload, out, length);

	if (random_u32(&payload->random) < payload->match_below)
		return insert_match(payload, out, length);
	return sum;
}
