/*
 * sextant-measure: what an NF costs, alone and beside others, on cores of its own. Reads one JSON request on stdin and
 * prints JSON lines; see docs/measuring.md. It ends by itself within a bounded time, and its children with it.
 */
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/artefact.h"
#include "base/region.h"
#include "measure/calibrate.h"
#include "measure/output.h"
#include "measure/session_run.h"

#define REPLAY_BYTES (256UL << 20) /* a range of addresses: pages are taken as captures fill them */

static const char USAGE[] =
	"usage: sextant-measure [--artefacts DIR] [--huge auto|off] < REQUEST.json\n"
	"REQUEST is one JSON object: {\"mode\": \"describe\"}, calibrate, solo, colocation or shared-core (docs/measuring.md).\n";

static struct request request;
static struct session session = {.request = &request, .try_huge = true};

static int read_options(int argc, char **argv)
{
	static const struct option known[] = {
		{"artefacts", required_argument, NULL, 'a'}, {"huge", required_argument, NULL, 'h'}, {0}};
	int which;

	opterr = 0;
	while ((which = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (which == 'a' && *optarg == '/')
			artefact_folder(optarg);
		else if (which == 'h' && (strcmp(optarg, "off") == 0 || strcmp(optarg, "auto") == 0))
			session.try_huge = strcmp(optarg, "auto") == 0;
		else
			return -1;
	}
	return optind < argc ? -1 : 0;
}

/* The whole of stdin, at most REQUEST_BYTES_MAX. */
static int read_stdin(char *text, size_t *length, struct error *err)
{
	ssize_t got;

	*length = 0;
	while ((got = read(STDIN_FILENO, text + *length, REQUEST_BYTES_MAX + 1 - *length)) > 0)
		*length += (size_t)got;
	if (got < 0 || *length > REQUEST_BYTES_MAX)
		return fail(err, E_BAD_REQUEST, "", "a request of at most %u bytes is expected on stdin", REQUEST_BYTES_MAX);
	return 0;
}

static int answer(struct error *err)
{
	static char text[REQUEST_BYTES_MAX + 1];
	size_t length;

	if (region_open(REPLAY_BYTES) < 0)
		return fail(err, E_NO_ROOM, "", "cannot map memory for captures");
	if (read_stdin(text, &length, err) < 0 || request_read(text, length, &request, err) < 0)
		return -1;
	if (request.mode == MODE_DESCRIBE) {
		describe_run();
		return 0;
	}
	return request.mode == MODE_CALIBRATE ? calibrate_run(&request, err) : session_run(&session, err);
}

int main(int argc, char **argv)
{
	struct error err = {0};

	(void)signal(SIGPIPE, SIG_DFL); /* whoever started us may ignore it; a reader that is gone must end us */
	if (read_options(argc, argv) < 0) {
		(void)fputs(USAGE, stderr);
		return 2;
	}
	if (answer(&err) == 0)
		return 0;
	output_error(&err);
	return strcmp(err.code, E_START_FAILED) == 0 || strcmp(err.code, E_NO_ROOM) == 0 ? 1 : 2;
}
