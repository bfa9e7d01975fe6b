/* What each request does. A verb returns what its answer says beside `id` and `ok`, or NULL with `err` filled; `passed` becomes a
 * descriptor that goes with the answer, or stays -1. Fields that a verb does not have were refused before. */
#ifndef SEXTANT_SRV6_VERBS_H
#define SEXTANT_SRV6_VERBS_H

#include <jansson.h>

#include "daemon.h"

typedef json_t *(*verb)(struct daemon *daemon, const json_t *request, int *passed, struct error *err);

/* host.c */
json_t *do_set_host(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
/* ports.c */
json_t *do_attach(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_detach(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
/* members.c */
json_t *do_add_edge(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_add_exit(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_add_nf(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_add_firewall(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_set_rules(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
/* removal.c */
json_t *do_remove(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
/* routes.c */
json_t *do_set_path(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_set_way(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_remove_way(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
/* links.c */
json_t *do_links(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_ways(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
/* report.c */
json_t *do_hello(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_read(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_firewalls(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
json_t *do_windows(struct daemon *daemon, const json_t *request, int *passed, struct error *err);
/* capture.c */
json_t *do_capture(struct daemon *daemon, const json_t *request, int *passed, struct error *err);

#endif
