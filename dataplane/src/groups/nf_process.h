/* The process of a group of NFs: takes bursts from its first ring, works on them, passes on what is kept. */
#ifndef SEXTANT_NF_PROCESS_H
#define SEXTANT_NF_PROCESS_H


/* Begins with holding if `order` says so. Never returns; for process_start. */
void nf_process_main(void *argument);

#endif
