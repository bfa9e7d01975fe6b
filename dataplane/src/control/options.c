#include "control/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "base/cpu_list.h"

const char OPTIONS_USAGE[] =
	"usage: sextant-runner --socket PATH --nonce HEX32 --traffic-core N --cores 0,1 [--memory-mb 192] [--huge auto|off]\n"
	"                      [--artefacts DIR] [--replay-mb 256]\n";

static int parse_number(const char *text, int least, int most)
{
	char *end;
	long value = strtol(text, &end, 10);

	return isdigit((unsigned char)*text) && *end == '\0' && value >= least && value <= most ? (int)value : -1;
}

static int read_core(const char *text, const char *option, struct error *err)
{
	int core = parse_number(text, 0, CORES_MAX - 1);
	cpu_set_t allowed;

	if (core < 0)
		return fail(err, E_BAD_REQUEST, option, "'%s' is not a core number", text);
	CPU_ZERO(&allowed);
	(void)sched_getaffinity(0, sizeof(allowed), &allowed);
	if (!CPU_ISSET((size_t)core, &allowed))
		return fail(err, E_CORE, option, "core %d is outside the CPU affinity of this process; choose another", core);
	return core;
}

static int read_cores(const char *list, cpu_set_t *cores, struct error *err)
{
	char text[4096], *next = text, *item;

	CPU_ZERO(cores);
	if (strlen(list) >= sizeof(text))
		return fail(err, E_BAD_REQUEST, "--cores", "the list is too long");
	strcpy(text, list);
	while ((item = strsep(&next, ",")) != NULL) {
		int core = read_core(item, "--cores", err);

		if (core < 0)
			return -1;
		CPU_SET((size_t)core, cores);
	}
	return 0;
}

static int read_option(int option, const char *value, struct options *options, struct error *err)
{
	switch (option) {
	case 's':
		options->socket_path = value;
		if (strlen(value) == 0 || strlen(value) >= sizeof(((struct sockaddr_un *)NULL)->sun_path))
			return fail(err, E_BAD_REQUEST, "--socket", "a path of 1 to 107 bytes is expected");
		return 0;
	case 'n':
		options->nonce = value;
		if (strlen(value) != NONCE_CHARS || strspn(value, "0123456789abcdef") != NONCE_CHARS)
			return fail(err, E_BAD_REQUEST, "--nonce", "32 lower-case hexadecimal digits are expected");
		return 0;
	case 't':
		options->memory.core = read_core(value, "--traffic-core", err);
		return options->memory.core < 0 ? -1 : 0;
	case 'c':
		return read_cores(value, &options->cores, err);
	case 'm':
		options->memory.megabytes = parse_number(value, 128, 65536);
		if (options->memory.megabytes < 0)
			return fail(err, E_BAD_REQUEST, "--memory-mb", "a number of MiB from 128 to 65536 is expected");
		return 0;
	case 'a':
		options->artefacts = value;
		if (*value != '/')
			return fail(err, E_BAD_REQUEST, "--artefacts", "an absolute path is expected");
		return 0;
	case 'r':
		options->replay_mb = parse_number(value, 0, 65536);
		if (options->replay_mb < 0)
			return fail(err, E_BAD_REQUEST, "--replay-mb", "a number of MiB from 0 to 65536 is expected");
		return 0;
	case 'h':
		options->memory.try_hugepages = strcmp(value, "auto") == 0;
		if (!options->memory.try_hugepages && strcmp(value, "off") != 0)
			return fail(err, E_BAD_REQUEST, "--huge", "'auto' or 'off' is expected");
		return 0;
	default:
		return fail(err, E_BAD_REQUEST, "", "an option is unknown or lacks its value");
	}
}

int options_read(int argc, char **argv, struct options *options, struct error *err)
{
	static const struct option known[] = {
		{"socket", required_argument, NULL, 's'}, {"nonce", required_argument, NULL, 'n'},
		{"traffic-core", required_argument, NULL, 't'}, {"cores", required_argument, NULL, 'c'},
		{"memory-mb", required_argument, NULL, 'm'}, {"huge", required_argument, NULL, 'h'},
		{"artefacts", required_argument, NULL, 'a'}, {"replay-mb", required_argument, NULL, 'r'}, {0},
	};
	int option;

	*options = (struct options){
		.memory = {.core = -1, .megabytes = 192, .try_hugepages = true}, .replay_mb = 256};
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
		if (read_option(option, optarg, options, err) < 0)
			return -1;
	if (optind < argc)
		return fail(err, E_BAD_REQUEST, argv[optind], "unexpected argument; only options are accepted");
	if (options->socket_path == NULL || options->nonce == NULL || options->memory.core < 0 ||
	    CPU_COUNT(&options->cores) == 0)
		return fail(err, E_BAD_REQUEST, "", "--socket, --nonce, --traffic-core and --cores are required");
	return 0;
}
