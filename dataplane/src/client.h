/* One connection to the control socket: lines in, lines out, both bounded. */
#ifndef SEXTANT_CLIENT_H
#define SEXTANT_CLIENT_H

#include "runner.h"

struct client {
	int fd; /* -1: free */
	bool closing; /* once what is queued has been sent */
	char *in, *out;
	size_t in_used, in_room, out_used, out_sent;
};

void client_open(struct client *client, int fd);
void client_close(struct client *client);
/* Reads what is there and answers whole lines. */
void client_read(struct client *client, struct runner *runner);
/* Sends what is queued, as far as the socket takes it. */
void client_write(struct client *client);
/* False while so much is unsent that no further request is read. */
bool client_wants_input(const struct client *client);
bool client_wants_output(const struct client *client);

#endif
