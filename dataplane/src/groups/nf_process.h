/* The process of a group of NFs: takes bursts from its first ring, processes them, passes on what is kept. */
#ifndef SEXTANT_NF_PROCESS_H
#define SEXTANT_NF_PROCESS_H


/* Starts by holding if `command` says so. Never returns; for process_start. The argument is a struct group_run. */
void nf_process_main(void *argument);

#endif
