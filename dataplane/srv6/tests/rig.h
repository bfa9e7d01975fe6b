/* The programs in this kernel, run over frames with BPF_PROG_TEST_RUN: no interface, no other process sees them. */
#ifndef SEXTANT_SRV6_RIG_H
#define SEXTANT_SRV6_RIG_H

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/pkt_cls.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/values.h"

#define FRAME_BYTES_MAX 2048
#define PORT 1U /* what the kernel says such frames came from */
#define UNSPEC 0xffffffffU /* TC_ACT_UNSPEC, as a test run returns it */
#define TAG 7
#define NF 5
#define DEVICE 3

struct frame {
	size_t size;
	uint8_t bytes[FRAME_BYTES_MAX];
};

/* Ends the test program with 77 where the kernel lets it load nothing. `argv[1]` is the object. */
void rig_load(char **argv);

/* Hexadecimal digits, spaces between them as one likes. */
struct frame rig_frame(const char *hex);
int rig_equals(const struct frame *frame, const char *hex);

/* Returns the verdict; `frame` is then what the program made of it. */
uint32_t rig_run(const char *program, struct frame *frame);
/* The same of a packet that the host has marked. */
uint32_t rig_run_marked(const char *program, struct frame *frame, uint32_t mark);
/* The same of several packets in one, of so many bytes each. */
uint32_t rig_run_joined(const char *program, struct frame *frame, uint32_t bytes);

int rig_map(const char *name);
void rig_put(const char *map, const void *key, const void *value);
void rig_take(const char *map, const void *key);
struct srv6_address rig_address(const char *text);
uint64_t rig_count(enum srv6_count what);

/* Whether a copy of `frame` is dropped by `program`, and counted as `cause` once. */
int rig_refuses(const char *program, const struct frame *frame, enum srv6_count cause);

/* A path over NF (fc00:0:1::1) and egress (fc00:0:2::e); this host has both. */
void rig_set_up(void);
struct srv6_nf_state rig_state(void);

#endif
