/*
 * sextant-srv6-source: paced packets of a chain between hosts, each with its number and time, at a packet socket that it inherits.
 * The main thread sends, another answers the control socket (docs/contracts/srv6-traffic.md).
 */
#include <arpa/inet.h>
#include <linux/if_packet.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/json_log.h"
#include "source/program.h"
#include "source/source_control.h"

static const char USAGE[] = "usage: sextant-srv6-source --fd N --chain JSON --control PATH [--to MAC]\n";
static struct source_control control;

/* Frames come from the interface's own address. */
static void read_own_address(int fd, uint8_t *out)
{
	struct sockaddr_ll bound = {0};
	socklen_t bytes = sizeof(bound);

	if (getsockname(fd, (struct sockaddr *)&bound, &bytes) == 0)
		memcpy(out, bound.sll_addr, ETH_ALEN);
}

static int set_addresses(const struct program_options *options, struct error *err)
{
	static const uint8_t everybody[ETH_ALEN] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
	struct ether_addr to;

	memcpy(control.sender.ether, everybody, ETH_ALEN);
	if (options->to != NULL) {
		if (ether_aton_r(options->to, &to) == NULL)
			return fail(err, E_BAD_REQUEST, "--to", "an Ethernet address such as 02:00:00:00:00:01 is expected");
		memcpy(control.sender.ether, &to, ETH_ALEN);
	}
	read_own_address(options->fd, control.sender.ether + ETH_ALEN);
	return 0;
}

static int start(const struct program_options *options, struct error *err)
{
	json_error_t where = {0};
	json_t *spec = options->chain == NULL ? NULL : json_loads(options->chain, JSON_REJECT_DUPLICATES, &where);
	int started;

	if (spec == NULL)
		return fail(err, E_BAD_REQUEST, "--chain", "a source as JSON is expected (character %d)", where.position);
	control.started_ns = now_ns();
	control.worker = pthread_self();
	payload_pool_fill();
	/* Another stream than the source before it at this port, of which a sink may still know. */
	if (getrandom(&control.stream, sizeof(control.stream), 0) != sizeof(control.stream))
		control.stream = (uint16_t)control.started_ns;
	started = packet_port_open(&control.sender.port, options->fd, err);
	if (started == 0)
		started = set_addresses(options, err);
	if (started == 0)
		started = source_control_start(&control, spec, err);
	json_decref(spec);
	return started;
}

int main(int argc, char **argv)
{
	struct program_options options;
	struct error err = {0};

	if (program_options_read(argc, argv, &options, &err) < 0) {
		log_error("%s: %s", err.field, err.message);
		(void)fputs(USAGE, stderr);
		return 2;
	}
	if (start(&options, &err) < 0 || program_answer(&options, source_control_answer, &control, &err) < 0) {
		log_error("%s: %s", err.field, err.message);
		return 1;
	}
	sender_run(&control.sender);
}
