/*
 * Frames of any content at an NF between hosts (sextant-srv6-nf): what is read of one stays inside it, and what is given back carries
 * the contract's headers round a whole packet. The first byte chooses the NF; then each frame has two bytes of length and its content.
 */
#include <rte_eal.h>
#include <string.h>

#include "fuzz.h"
#include "nf/registry.h"
#include "shell/work.h"

#define MTU 1600U
#define FRAME_BYTES_MAX (MTU + 32U) /* some are longer than the interface takes */

static const struct {
	const char *type, *config;
} NFS[] = {
	{"simple-forward", "{}"},
	{"router", "{\"synthetic_routes\": 10}"},
	{"vpn", "{\"mode\": \"encrypt\"}"},
	{"vpn", "{\"mode\": \"encrypt\", \"form\": \"transport\"}"},
	{"vpn", "{\"mode\": \"decrypt\"}"},
	{"firewall", "{\"rules\": [{\"action\": \"deny\", \"dst\": \"fd00::/16\"}]}"},
};

#define NF_COUNT (sizeof(NFS) / sizeof(NFS[0]))

static struct work works[NF_COUNT];

static void open_one(uint32_t number)
{
	struct error err = {0};
	struct scope scope = {.code = E_BAD_CONFIG, .at = "config", .err = &err};
	json_t *json = json_loads(NFS[number].config, 0, NULL);
	struct work *work = &works[number];

	work->type = nf_type_find(NFS[number].type);
	MUST(json != NULL && work->type != NULL);
	work->state = work->type->open(json, &scope, NFS[number].type);
	work->port.mtu = MTU;
	json_decref(json);
	MUST(work->state != NULL);
	if (number == 0) {
		MUST(work_prepare(work, &err) == 0);
		return;
	}
	for (uint32_t i = 0; i < BURST; i++) /* one is used at a time */
		work->envelopes[i].packet = works[0].envelopes[i].packet;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char *args[] = {(*argv)[0], (char[]){"--no-huge"}, (char[]){"-m"}, (char[]){"256"}, (char[]){"--no-pci"},
		(char[]){"--no-telemetry"}, (char[]){"--no-shconf"}, (char[]){"--log-level=error"}, NULL};

	(void)argc;
	MUST(rte_eal_init(8, args) >= 0);
	for (uint32_t i = 0; i < NF_COUNT; i++)
		open_one(i);
	return 0;
}

/* In an allocation of its own, so that a read behind it is seen. */
static enum measured_read read_alone(const uint8_t *frame, uint32_t length, struct measured *measured)
{
	uint8_t *copy = malloc(length > 0 ? length : 1);
	enum measured_read read;

	MUST(copy != NULL);
	memcpy(copy, frame, length);
	read = measured_read(copy, length, measured);
	MUST(read != MEASURED_READ || measured->outer_bytes + measured->inner_bytes <= length);
	free(copy);
	return read;
}

static void check_sent(const struct mmsghdr *message)
{
	const struct iovec *parts = message->msg_hdr.msg_iov;
	uint8_t frame[RTE_ETHER_HDR_LEN + MTU];
	struct measured measured;

	MUST(message->msg_hdr.msg_iovlen == 2 && parts[0].iov_len + parts[1].iov_len <= sizeof(frame));
	memcpy(frame, parts[0].iov_base, parts[0].iov_len);
	memcpy(frame + parts[0].iov_len, parts[1].iov_base, parts[1].iov_len);
	MUST(read_alone(frame, (uint32_t)(parts[0].iov_len + parts[1].iov_len), &measured) == MEASURED_READ);
	MUST(measured.outer_bytes == parts[0].iov_len && measured.inner_bytes == parts[1].iov_len);
}

static uint64_t unsent_packets(const struct work *work)
{
	const struct work_counters *counters = &work->counters;

	return counter_read(&counters->filtered) + counter_read(&counters->malformed) + counter_read(&counters->too_large);
}

static void check_work(struct work *work, const uint32_t *lengths, uint32_t count)
{
	struct mmsghdr messages[BURST];
	struct iovec parts[BURST][2];
	uint64_t rx = counter_read(&work->counters.rx), gone = unsent_packets(work);
	uint32_t closed = work_process(work, lengths, count, 0, messages, parts);

	MUST(counter_read(&work->counters.rx) - rx == closed + unsent_packets(work) - gone);
	for (uint32_t i = 0; i < closed; i++)
		check_sent(&messages[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t lengths[BURST], count = 0;
	struct work *work;

	if (size < 3)
		return 0;
	work = &works[data[0] % NF_COUNT];
	for (size_t at = 1; at + 2 < size && count < BURST; count++) {
		uint32_t length = (data[at] | (uint32_t)data[at + 1] << 8) % FRAME_BYTES_MAX;
		size_t have = RTE_MIN(size - at - 2, length);
		struct measured measured;

		/* What is behind it in the buffer is of the frame before: nothing of it may be read. */
		lengths[count] = (uint32_t)have;
		memcpy(envelope_frame(&work->envelopes[count]), data + at + 2, RTE_MIN(have, RTE_ETHER_HDR_LEN + MTU));
		(void)read_alone(data + at + 2, (uint32_t)have, &measured);
		at += 2 + have;
	}
	check_work(work, lengths, count);
	return 0;
}
