#include "source/program.h"

#include <ctype.h>
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/confined.h"
#include "base/json_log.h"
#include "base/process.h"
#include "base/unix_listener.h"

#define FD_MOST 1048576

static struct line_server server;
static const char *control_path;

static int read_fd(const char *text, struct error *err)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end != '\0' || value > FD_MOST)
		return fail(err, E_BAD_REQUEST, "--fd", "the number of an open descriptor is expected");
	return (int)value;
}

int program_options_read(int argc, char **argv, struct program_options *options, struct error *err)
{
	static const struct option known[] = {{"fd", required_argument, NULL, 'f'}, {"control", required_argument, NULL, 's'},
		{"chain", required_argument, NULL, 'c'}, {"to", required_argument, NULL, 't'}, {0}};
	int option;

	*options = (struct program_options){.fd = -1};
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (option == 'f' && (options->fd = read_fd(optarg, err)) < 0)
			return -1;
		if (option == 's')
			options->control = optarg;
		if (option == 'c')
			options->chain = optarg;
		if (option == 't')
			options->to = optarg;
		if (option == '?')
			return fail(err, E_BAD_REQUEST, "", "an option is unknown or lacks its value");
	}
	if (optind < argc)
		return fail(err, E_BAD_REQUEST, argv[optind], "unexpected argument; only options are accepted");
	if (options->fd < 0 || options->control == NULL)
		return fail(err, E_BAD_REQUEST, "", "--fd and --control are required");
	return 0;
}

/* Ends the process: the thread that works on packets holds nothing that outlives it. */
static void *answer_requests(void *unused)
{
	(void)unused;
	line_server_run(&server);
	(void)unlink(control_path);
	log_info("stopped");
	_exit(0);
}

int program_answer(const struct program_options *options, line_answer answer, void *argument, struct error *err)
{
	pthread_t thread;

	control_path = options->control;
	server = (struct line_server){.signals = line_server_signals(), .answer = answer, .argument = argument};
	if (server.signals < 0)
		return fail(err, E_START_FAILED, "", "no descriptor for signals");
	server.listener = unix_listen(control_path, "--control", err);
	if (server.listener < 0 || confine_sockets(err) < 0)
		return -1;
	if (pthread_create(&thread, NULL, answer_requests, NULL) != 0) {
		(void)unlink(control_path);
		return fail(err, E_START_FAILED, "", "no thread for the control socket");
	}
	process_set_short_slice();
	log_info("ready: socket %s", control_path);
	return 0;
}
