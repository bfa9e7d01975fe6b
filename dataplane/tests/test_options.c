#include <getopt.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "control/options.h"

#define NONCE "0123456789abcdef0123456789abcdef"

static struct error refusal(const char *option, const char *value)
{
	char core[16];
	const char *argv[] = {"runner", "--socket", "s", "--nonce", NONCE, "--traffic-core", core, "--cores", core,
		option, value, NULL};
	struct options options;
	struct error err = {0};
	cpu_set_t allowed;
	size_t first = 0;

	(void)sched_getaffinity(0, sizeof(allowed), &allowed);
	while (!CPU_ISSET(first, &allowed))
		first++;
	(void)snprintf(core, sizeof(core), "%zu", first);
	optind = 0;
	if (options_read(option == NULL ? 9 : 11, (char **)(uintptr_t)argv, &options, &err) == 0)
		CHECK(options.memory.megabytes == 192 && options.memory.try_hugepages && CPU_ISSET(first, &options.cores));
	return err;
}

int main(void)
{
	CHECK(refusal(NULL, NULL).code == NULL);
	CHECK(strcmp(refusal("--nonce", "zz").field, "--nonce") == 0);
	CHECK(strcmp(refusal("--cores", "0,,1").field, "--cores") == 0);
	CHECK(strcmp(refusal("--cores", "100000").field, "--cores") == 0);
	CHECK(strcmp(refusal("--traffic-core", "-1").field, "--traffic-core") == 0);
	CHECK(strcmp(refusal("--traffic-core", "1023").code, E_CORE) == 0);
	CHECK(strcmp(refusal("--memory-mb", "1").field, "--memory-mb") == 0);
	CHECK(strcmp(refusal("--huge", "on").field, "--huge") == 0);
	CHECK(strcmp(refusal("--artefacts", "files").field, "--artefacts") == 0);
	CHECK(refusal("--unknown", "1").code != NULL);
	return 0;
}
