#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "names.h"

#define OBJECT_NAME "srv6.bpf.o"

const char OPTIONS_USAGE[] =
	"sextant-srv6 --socket PATH --pins DIR --host NAME [--uid USER] [--object FILE] [--netns FILE]\n"
	"sextant-srv6 --clean --pins DIR --host NAME [--netns FILE]\n"
	"Carries and measures packets between hosts, by typed requests on a unix socket. Needs root.\n"
	"  --socket PATH  where it listens, for --uid and root only\n"
	"  --pins DIR     a folder of its own on a bpf file system; made if it is not there\n"
	"  --host NAME    whose links these are: lower case, digits and hyphens\n"
	"  --uid USER     who may ask beside root, a number or a name (root alone)\n"
	"  --object FILE  the programs (" OBJECT_NAME " beside this program)\n"
	"  --netns FILE   the network namespace to work in (the one it is started in)\n"
	"  --clean        remove the links, filters, programs and pins of this host, and end\n"
	"SIGTERM ends it; packets go on, and a successor adopts what it finds.\n";

/* A number or a name. */
static int read_uid(const char *text, uid_t *uid, struct error *err)
{
	const struct passwd *user;
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno == 0 && *text >= '0' && *text <= '9' && *end == '\0' && value < UINT32_MAX) {
		*uid = (uid_t)value;
		return 0;
	}
	user = getpwnam(text);
	if (user == NULL)
		return fail(err, E_BAD_REQUEST, "--uid", "a user's number or name is expected");
	*uid = user->pw_uid;
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
	case 'p':
		options->pins = value;
		if (value[0] != '/' || strlen(value) > PATH_MAX - 64)
			return fail(err, E_BAD_REQUEST, "--pins", "an absolute path is expected");
		return 0;
	case 'o':
		options->host = value;
		if (!name_is_label(value))
			return fail(err, E_BAD_REQUEST, "--host", "lower case, digits and hyphens are expected, 63 at most");
		return 0;
	case 'u':
		return read_uid(value, &options->uid, err);
	case 'b':
		if ((size_t)snprintf(options->object, sizeof(options->object), "%s", value) >= sizeof(options->object))
			return fail(err, E_BAD_REQUEST, "--object", "the path is too long");
		return 0;
	case 'n':
		options->netns = value;
		return 0;
	case 'c':
		options->clean = true;
		return 0;
	case 'h':
		options->help = true;
		return 0;
	default:
		return fail(err, E_BAD_REQUEST, "", "an option is unknown or lacks its value");
	}
}

static void object_beside_this_program(struct options *options)
{
	ssize_t length = readlink("/proc/self/exe", options->object, sizeof(options->object) - sizeof(OBJECT_NAME));
	char *slash;

	options->object[length > 0 ? length : 0] = '\0';
	slash = strrchr(options->object, '/');
	(void)strcpy(slash != NULL ? slash + 1 : options->object, OBJECT_NAME);
}

int options_read(int argc, char **argv, struct options *options, struct error *err)
{
	static const struct option known[] = {
		{"socket", required_argument, NULL, 's'}, {"pins", required_argument, NULL, 'p'},
		{"host", required_argument, NULL, 'o'}, {"uid", required_argument, NULL, 'u'},
		{"object", required_argument, NULL, 'b'}, {"netns", required_argument, NULL, 'n'},
		{"clean", no_argument, NULL, 'c'}, {"help", no_argument, NULL, 'h'}, {0},
	};
	int option;

	*options = (struct options){0};
	object_beside_this_program(options);
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
		if (read_option(option, optarg, options, err) < 0)
			return -1;
	if (optind < argc)
		return fail(err, E_BAD_REQUEST, argv[optind], "unexpected argument; only options are accepted");
	if (!options->help && (options->pins == NULL || options->host == NULL))
		return fail(err, E_BAD_REQUEST, "", "--pins and --host are required");
	if (!options->help && !options->clean && options->socket_path == NULL)
		return fail(err, E_BAD_REQUEST, "--socket", "is required");
	return 0;
}
