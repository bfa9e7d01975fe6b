/* From a capture file to a replay: what can be sent, and a refusal with the packet's number for what cannot. */
#ifndef SEXTANT_PCAP_FILE_H
#define SEXTANT_PCAP_FILE_H

#include "base/artefact.h"
#include "base/config.h"
#include "packets/replay.h"

#define PCAP_BYTES_MAX (64U << 20)
#define PCAP_GAP_S_MAX 60U /* with the file's own timing */

/*
 * Reads a pcap file (microseconds or nanoseconds, either byte order, Ethernet) into memory that living children see.
 * NULL with `scope->err` filled when it is none, is cut off, is empty, or holds a packet that cannot be sent whole.
 */
struct replay *pcap_load(const struct scope *scope, const char *key, const struct artefact *file);

/* Whether the replay can keep the file's own gaps. */
int pcap_check_timing(const struct scope *scope, const struct replay *replay);

void replay_free(const struct replay *replay);

#endif
