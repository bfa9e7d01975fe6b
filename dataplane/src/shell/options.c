#include "shell/options.h"

#include <ctype.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "nf/registry.h"

#define FD_MOST 1048576

const char SHELL_USAGE[] = "usage: sextant-srv6-nf --fd N --type TYPE (--config JSON | --config-fd N) --control PATH\n"
	"                       [--memory-mb 512] [--artefacts DIR]\n";

static int parse_number(const char *text, int least, int most)
{
	char *end;
	long value = strtol(text, &end, 10);

	return isdigit((unsigned char)*text) && *end == '\0' && value >= least && value <= most ? (int)value : -1;
}

static int keep_config(struct shell_options *options, json_t *config, const json_error_t *where, struct error *err)
{
	json_decref(options->config);
	options->config = config;
	return config == NULL ? fail(err, E_BAD_REQUEST, "--config", "it is not valid JSON (character %d)", where->position) : 0;
}

/* A command line can be read by everybody, so a configuration with a secret comes by a descriptor: a pipe, for example. */
static int read_config_fd(struct shell_options *options, const char *value, struct error *err)
{
	int fd = parse_number(value, 0, FD_MOST);
	json_error_t where = {0};

	if (fd < 0)
		return fail(err, E_BAD_REQUEST, "--config-fd", "the number of an open descriptor is expected");
	return keep_config(options, json_loadfd(fd, JSON_REJECT_DUPLICATES, &where), &where, err);
}

static int read_option(int option, const char *value, struct shell_options *options, struct error *err)
{
	json_error_t where = {0};

	switch (option) {
	case 'f':
		options->fd = parse_number(value, 0, FD_MOST);
		return options->fd < 0 ? fail(err, E_BAD_REQUEST, "--fd", "the number of an open descriptor is expected") : 0;
	case 't':
		options->type = nf_type_find(value);
		return options->type == NULL ? fail(err, E_BAD_REQUEST, "--type", "there is no NF type '%s'", value) : 0;
	case 'c':
		return keep_config(options, json_loads(value, JSON_REJECT_DUPLICATES, &where), &where, err);
	case 'C':
		return read_config_fd(options, value, err);
	case 's':
		options->control = value;
		return 0;
	case 'a':
		options->artefacts = value;
		return *value == '/' ? 0 : fail(err, E_BAD_REQUEST, "--artefacts", "an absolute path is expected");
	case 'm':
		options->megabytes = parse_number(value, 128, 65536);
		return options->megabytes < 0 ? fail(err, E_BAD_REQUEST, "--memory-mb", "a number of MiB from 128 to 65536 is expected") : 0;
	default:
		return fail(err, E_BAD_REQUEST, "", "an option is unknown or lacks its value");
	}
}

int shell_options_read(int argc, char **argv, struct shell_options *options, struct error *err)
{
	static const struct option known[] = {
		{"fd", required_argument, NULL, 'f'}, {"type", required_argument, NULL, 't'}, {"config", required_argument, NULL, 'c'},
		{"config-fd", required_argument, NULL, 'C'}, {"control", required_argument, NULL, 's'},
		{"memory-mb", required_argument, NULL, 'm'}, {"artefacts", required_argument, NULL, 'a'}, {0},
	};
	int option;

	*options = (struct shell_options){.fd = -1, .megabytes = 512};
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
		if (read_option(option, optarg, options, err) < 0)
			return -1;
	if (optind < argc)
		return fail(err, E_BAD_REQUEST, argv[optind], "unexpected argument; only options are accepted");
	if (options->fd < 0 || options->type == NULL || options->config == NULL || options->control == NULL)
		return fail(err, E_BAD_REQUEST, "", "--fd, --type, --config and --control are required");
	return 0;
}
