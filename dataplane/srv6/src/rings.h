/* What the programs report packet by packet, read every millisecond by a thread: mirrors into windows by chain and into captures,
 * returns into windows by NF. */
#ifndef SEXTANT_SRV6_RINGS_H
#define SEXTANT_SRV6_RINGS_H

#include "captures.h"
#include "codes.h"
#include "nf_window.h"
#include "window.h"

struct rings;

/* From the maps `mirrors`, `returns` and `counts`. NULL: said in `err`. It stays until the process ends. */
struct rings *rings_start(int mirrors, int returns, int counts, struct error *err);

/* Over the windows of all chains, while the thread waits. */
void rings_each_chain(struct rings *rings, void (*each)(void *context, struct window *window), void *context);

/* Of the NF with this number; false: it gave nothing back yet. With `totals` these too, which then begin anew. */
bool rings_read_nf(struct rings *rings, uint32_t nf, struct nf_figures *figures, struct latency_totals *totals);

uint32_t rings_capture(struct rings *rings, uint16_t tag, uint32_t wanted, uint32_t wait_ms, struct captured *into);

#endif
