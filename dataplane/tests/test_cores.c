#include "base/cpu_list.h"
#include "base/peak.h"
#include "check.h"

/* As the kernel writes them in /sys/devices/system/cpu/online. */
static void cpu_lists_are_read(void)
{
	CHECK(cpu_list_holds("0-1\n", 0) && cpu_list_holds("0-1\n", 1) && !cpu_list_holds("0-1\n", 2));
	CHECK(cpu_list_holds("0,2-3,7\n", 2) && cpu_list_holds("0,2-3,7\n", 7) && !cpu_list_holds("0,2-3,7\n", 1));
	CHECK(cpu_list_holds("10-12", 11) && !cpu_list_holds("10-12", 1));
	CHECK(!cpu_list_holds("", 0) && !cpu_list_holds("\n", 0) && !cpu_list_holds("all", 0));
}

static void a_peak_belongs_to_its_round(void)
{
	struct peak peak = {0};

	peak_record(&peak, 4, 7);
	peak_record(&peak, 4, 3);
	CHECK(peak_read(&peak, 4) == 7 && peak_read(&peak, 5) == 0);
	peak_record(&peak, 5, 2);
	CHECK(peak_read(&peak, 5) == 2 && peak_read(&peak, 4) == 0);
}

int main(void)
{
	cpu_lists_are_read();
	a_peak_belongs_to_its_round();
	return 0;
}
