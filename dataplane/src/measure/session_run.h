/* One measurement of NFs: memory and tables, forks, gates before and after, samples as they come. */
#ifndef SEXTANT_SESSION_RUN_H
#define SEXTANT_SESSION_RUN_H

#include "measure/session.h"

/* Runs the request's mode and prints its lines; -1 with `err` filled. Nothing is left running either way. */
int session_run(struct session *session, struct error *err);

#endif
