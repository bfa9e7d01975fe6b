/* One connection to the control socket: lines in, lines out, both bounded. */
#ifndef SEXTANT_CLIENT_H
#define SEXTANT_CLIENT_H

#include "chains/runner.h"

struct client {
	int fd; /* -1: free */
	bool closing; /* once what is queued has been sent */
	bool in_progress; /* its request is being answered */
	bool waiting;     /* it has sent a whole line that cannot be answered yet */
	uint64_t ticket; /* rises with every request of any client that begins to wait */
	char *in, *out;
	size_t in_used, in_capacity, out_used, out_sent;
};

void client_open(struct client *client, int fd);
void client_close(struct client *client);
/* Reads what is there and answers whole lines, up to one that has to wait (protocol.h). */
void client_read(struct client *client, struct runner *runner);
/* Sends what is queued, as far as the socket takes it. */
void client_write(struct client *client);
/* Answers lines that were read before and had to wait. */
void client_resume(struct client *client, struct runner *runner);
/* False while so much is unsent, or a request waits, that no further one is read. */
bool client_wants_input(const struct client *client);
bool client_wants_output(const struct client *client);

#endif
