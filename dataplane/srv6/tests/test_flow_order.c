/* What is lost and what came late, beside a record of all numbers that came. */
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "source/flow_order.h"

#define NUMBERS 4000U
#define FIRST (UINT32_MAX - 1500U) /* numbers begin anew on the way */

static void check(const uint32_t *numbers, uint32_t count, uint32_t lost, uint32_t late, uint32_t doubled)
{
	struct flow_seen flow = {0};
	uint32_t found_doubled = 0;
	int32_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct noted noted = flow_order_note(&flow, numbers[i]);

		found_doubled += noted.order == ORDER_DOUBLED ? 1 : 0;
		sum += noted.lost;
	}
	CHECK(flow.received == count && flow.lost == lost && flow.late == late && found_doubled == doubled && sum == (int32_t)lost);
}

static void counts_by_hand(void)
{
	check((const uint32_t[]){0, 1, 2, 3}, 4, 0, 0, 0);
	check((const uint32_t[]){7, 8, 10}, 3, 1, 0, 0); /* from the first that came on */
	check((const uint32_t[]){0, 2, 1, 3}, 4, 0, 1, 0);
	check((const uint32_t[]){0, 3, 1}, 3, 1, 1, 0);
	check((const uint32_t[]){0, 1, 1, 2, 0}, 5, 0, 0, 2);
	check((const uint32_t[]){5, 4}, 2, 0, 1, 0); /* from before the first */
	check((const uint32_t[]){0, 100, 1}, 3, 99, 1, 0); /* older than the window: stays lost */
	check((const uint32_t[]){0, 64, 1}, 3, 62, 1, 0);
	check((const uint32_t[]){UINT32_MAX - 1, UINT32_MAX, 0, 2}, 4, 1, 0, 0);
}

/* Some are left out, some come a little later, some twice. */
static void counts_as_a_record_of_all_does(uint64_t seed)
{
	static uint32_t numbers[2 * NUMBERS];
	uint64_t random = random_start(seed, 1);
	uint32_t count = 0, lost = 0, late = 0, doubled = 0, held = 0;

	for (uint32_t i = 0; i < NUMBERS; i++) {
		uint32_t number = FIRST + i, dice = random_below(&random, 20);

		if (i > 0 && i + 1 < NUMBERS && dice == 0) {
			lost++;
			continue;
		}
		if (i > 0 && i + 1 < NUMBERS && dice == 1 && held == 0) {
			held = number;
			continue;
		}
		numbers[count++] = number;
		if (dice == 2) {
			numbers[count++] = number;
			doubled++;
		}
		if (held != 0 && (dice == 3 || i + 1 == NUMBERS || number - held > 50)) {
			numbers[count++] = held;
			held = 0;
			late++;
		}
	}
	check(numbers, count, lost, late, doubled);
}

int main(void)
{
	counts_by_hand();
	for (uint64_t seed = 1; seed <= 20; seed++)
		counts_as_a_record_of_all_does(seed);
	return 0;
}
