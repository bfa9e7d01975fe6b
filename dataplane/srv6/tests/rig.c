#include "rig.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "check.h"

#define SKIPPED 77

static struct bpf_object *object;

void rig_load(char **argv)
{
	int failed;

	CHECK(argv[1] != NULL);
	object = bpf_object__open_file(argv[1], NULL);
	CHECK(object != NULL);
	failed = bpf_object__load(object);
	if (failed == -EPERM || failed == -ENOSYS) {
		(void)printf("skipped: this machine loads no eBPF programs (%s); it takes root, and a kernel that allows it\n", strerror(-failed));
		exit(SKIPPED);
	}
	CHECK(failed == 0);
}

static uint8_t digit(char c)
{
	CHECK(isxdigit((unsigned char)c));
	return (uint8_t)(isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
}

struct frame rig_frame(const char *hex)
{
	struct frame frame = {0};

	for (; *hex != '\0'; hex += 2) {
		while (*hex == ' ')
			hex++;
		if (*hex == '\0')
			break;
		CHECK(frame.size < sizeof(frame.bytes));
		frame.bytes[frame.size++] = (uint8_t)(digit(hex[0]) << 4 | digit(hex[1]));
	}
	return frame;
}

int rig_equals(const struct frame *frame, const char *hex)
{
	struct frame wanted = rig_frame(hex);
	int equal = frame->size == wanted.size && memcmp(frame->bytes, wanted.bytes, wanted.size) == 0;

	for (size_t i = 0; !equal && i < frame->size; i++)
		(void)fprintf(stderr, "%02x%s", frame->bytes[i], i % 16 == 13 ? "\n" : " ");
	return equal;
}

static uint32_t run_with(const char *program, struct frame *frame, struct __sk_buff *context)
{
	static uint8_t out[FRAME_BYTES_MAX + 512];
	struct bpf_program *found = bpf_object__find_program_by_name(object, program);
	LIBBPF_OPTS(bpf_test_run_opts, run, .data_in = frame->bytes, .data_size_in = (uint32_t)frame->size, .data_out = out,
		.data_size_out = sizeof(out), .ctx_in = context, .ctx_size_in = sizeof(*context), .repeat = 1);

	CHECK(found != NULL);
	CHECK(bpf_prog_test_run_opts(bpf_program__fd(found), &run) == 0);
	CHECK(run.data_size_out <= sizeof(frame->bytes));
	frame->size = run.data_size_out;
	memcpy(frame->bytes, out, frame->size);
	return run.retval;
}

uint32_t rig_run(const char *program, struct frame *frame)
{
	return rig_run_marked(program, frame, 0);
}

uint32_t rig_run_marked(const char *program, struct frame *frame, uint32_t mark)
{
	struct __sk_buff context = {.mark = mark};

	return run_with(program, frame, &context);
}

uint32_t rig_run_joined(const char *program, struct frame *frame, uint32_t bytes)
{
	struct __sk_buff context = {.gso_size = bytes};

	return run_with(program, frame, &context);
}

int rig_map(const char *name)
{
	int map = bpf_object__find_map_fd_by_name(object, name);

	CHECK(map >= 0);
	return map;
}

void rig_put(const char *map, const void *key, const void *value)
{
	CHECK(bpf_map_update_elem(rig_map(map), key, value, BPF_ANY) == 0);
}

void rig_take(const char *map, const void *key)
{
	CHECK(bpf_map_delete_elem(rig_map(map), key) == 0);
}

struct srv6_address rig_address(const char *text)
{
	struct srv6_address address;

	CHECK(inet_pton(AF_INET6, text, &address) == 1);
	return address;
}

uint64_t rig_count(enum srv6_count what)
{
	static uint64_t values[1024];
	uint32_t key = what;
	uint64_t sum = 0;
	int cpus = libbpf_num_possible_cpus();

	CHECK(cpus > 0 && cpus <= 1024);
	CHECK(bpf_map_lookup_elem(rig_map("srv6_counts"), &key, values) == 0);
	for (int i = 0; i < cpus; i++)
		sum += values[i];
	return sum;
}

int rig_refuses(const char *program, const struct frame *frame, enum srv6_count cause)
{
	uint64_t before = rig_count(cause);
	struct frame copy = *frame;

	return rig_run(program, &copy) == TC_ACT_SHOT && rig_count(cause) == before + 1;
}

static void put_locator(const char *address, uint32_t bits, uint8_t owner)
{
	struct srv6_prefix prefix = {.bits = bits, .address = rig_address(address)};

	rig_put("srv6_locators", &prefix, &owner);
}

void rig_set_up(void)
{
	struct srv6_segment nf = {.tag = TAG, .sid = rig_address("fc00:0:1::1")}, egress = {.tag = TAG, .sid = rig_address("fc00:0:2::e")};
	struct srv6_way way = {.port = PORT, .to = {2, 0, 0, 0, 0, 0xb}, .from = {2, 0, 0, 0, 0, 0xa}};
	struct srv6_function to_nf = {.action = SRV6_TO_NF, .nf = NF, .device = DEVICE, .way = way};
	struct srv6_function to_tenant = {.action = SRV6_TO_TENANT, .way = way};
	struct srv6_path path = {.tag = TAG, .count = 2, .mtu = 1500, .source = rig_address("fc00:0:1::"),
		.segments = {nf.sid, egress.sid}};
	struct srv6_nf_port port = {.nf = NF, .tag = TAG, .device = DEVICE};
	struct srv6_nf_state state = {0};
	uint32_t key = PORT, number = NF;
	uint8_t yes = 1;

	put_locator("fc00::", 32, SRV6_OTHERS);
	put_locator("fc00:0:1::", 48, SRV6_OWN);
	rig_put("srv6_paths", &key, &path);
	rig_put("srv6_ways", &nf, &way);
	rig_put("srv6_ways", &egress, &way);
	rig_put("srv6_functions", &nf, &to_nf);
	rig_put("srv6_functions", &egress, &to_tenant);
	rig_put("srv6_sources", &path.source, &yes);
	rig_put("srv6_nf_ports", &key, &port);
	rig_put("srv6_nf_states", &number, &state);
}

struct srv6_nf_state rig_state(void)
{
	struct srv6_nf_state state;
	uint32_t number = NF;

	CHECK(bpf_map_lookup_elem(rig_map("srv6_nf_states"), &number, &state) == 0);
	return state;
}
