#include "source/receiver.h"

#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "packets/frame.h"
#include "source/stamp.h"

#define RECEIVES 32U
#define FRAME_BYTES_MOST 2048U
#define CHECKED_EVERY 61U /* a prime, so that no flow is passed over; as a runner's sink */
#define SEEN_BYTES (FLOWS_MAX * sizeof(struct flow_seen))

int receiver_prepare(struct receiver *receiver, struct error *err)
{
	void *seen = mmap(NULL, SEEN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (seen == MAP_FAILED)
		return fail(err, E_NO_ROOM, "", "no addresses for %u flows", FLOWS_MAX);
	receiver->seen = seen;
	receiver->former_stream = STREAM_NONE;
	atomic_store(&receiver->stream, STREAM_NONE);
	return 0;
}

/* Another stream: its flows are other ones. What was lost of the former one stays in the sums. */
static void begin_stream(struct receiver *receiver, uint32_t stream)
{
	receiver->former_stream = atomic_load(&receiver->stream);
	(void)madvise(receiver->seen, SEEN_BYTES, MADV_DONTNEED); /* all zero again */
	atomic_store(&receiver->flows, 0);
	atomic_store(&receiver->stream, stream);
}

static void note_order(struct receiver *receiver, const struct stamp *stamp)
{
	struct flow_seen *flow = &receiver->seen[stamp->flow];
	struct noted noted;

	if (stamp->stream == receiver->former_stream)
		return;
	if (stamp->stream != atomic_load_explicit(&receiver->stream, memory_order_relaxed))
		begin_stream(receiver, stamp->stream);
	if (atomic_load_explicit(&flow->received, memory_order_relaxed) == 0)
		counter_add(&receiver->flows, 1);
	noted = flow_order_note(flow, stamp->sequence);
	counter_add(&receiver->lost, (uint64_t)(int64_t)noted.lost);
	if (noted.order == ORDER_LATE)
		counter_add(&receiver->misordered, 1);
	else if (noted.order == ORDER_DOUBLED)
		counter_add(&receiver->doubled, 1);
}

static void note_latency(struct receiver *receiver, uint64_t sent_ns, uint64_t now_ns)
{
	uint64_t ns = now_ns > sent_ns ? now_ns - sent_ns : 0;

	if (now_ns < sent_ns)
		counter_add(&receiver->ahead, 1);
	counter_add(&receiver->latency[histogram_bucket(ns)], 1);
	counter_add(&receiver->latency_sum_ns, ns);
	if (counter_read(&receiver->delivered) == 1 || ns < counter_read(&receiver->latency_min_ns))
		atomic_store_explicit(&receiver->latency_min_ns, ns, memory_order_relaxed);
	if (ns > counter_read(&receiver->latency_max_ns))
		atomic_store_explicit(&receiver->latency_max_ns, ns, memory_order_relaxed);
}

void receiver_note(struct receiver *receiver, const uint8_t *frame, uint32_t length, uint64_t now_ns)
{
	struct stamp stamp;

	if (!stamp_read(frame, length, &stamp)) {
		counter_add(&receiver->unstamped, 1);
		return;
	}
	counter_add(&receiver->delivered, 1);
	counter_add(&receiver->delivered_bytes, length);
	note_order(receiver, &stamp);
	note_latency(receiver, stamp.at_ns, now_ns);
	if (receiver->until_check-- > 0)
		return;
	receiver->until_check = CHECKED_EVERY - 1;
	if (!frame_is_sound(frame, length))
		counter_add(&receiver->damaged, 1);
}

static uint64_t tai_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_TAI, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

void receiver_run(struct receiver *receiver)
{
	static uint8_t frames[RECEIVES][FRAME_BYTES_MOST];
	struct mmsghdr messages[RECEIVES] = {0};
	struct iovec places[RECEIVES];

	for (uint32_t i = 0; i < RECEIVES; i++) {
		places[i] = (struct iovec){frames[i], FRAME_BYTES_MOST};
		messages[i].msg_hdr = (struct msghdr){.msg_iov = &places[i], .msg_iovlen = 1};
	}
	for (;;) {
		uint32_t count = packet_port_receive(&receiver->port, messages, RECEIVES);
		uint64_t now = tai_ns(); /* of all that came together */

		for (uint32_t i = 0; i < count; i++)
			receiver_note(receiver, frames[i], messages[i].msg_len < FRAME_BYTES_MOST ? messages[i].msg_len : FRAME_BYTES_MOST, now);
	}
}
