/*
 * One end of a VPN: encrypts every packet, or decrypts and checks it, by ESP with AES-128-GCM (esp.h). Two in a chain
 * with the same key undo each other. What cannot be handled is filtered and counted by cause.
 *
 * The key is a secret: it appears in no message, no figure and no log, and lies only in this process's memory and in
 * the memory of those it forks.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <rte_malloc.h>

#include "base/counter.h"
#include "nf/esp.h"
#include "nf/nf.h"

#define SPI_LEAST 256U /* those below are reserved (RFC 4303, 2.1) */
#define MTU_LEAST 576
#define MTU_MOST 1600
#define KEY_DIGITS (2 * ESP_MATERIAL_BYTES)

struct vpn_shared { /* in shared memory: the NF's process writes */
	counter results[ESP_RESULTS];
	counter sequence; /* of the last packet encrypted */
};

struct vpn {
	struct esp_sa sa;
	IMB_MGR *library;
	bool encrypts;
	uint64_t iv_start;
	struct vpn_shared *shared;
};

static const char *const RESULT_NAMES[2][ESP_RESULTS] = {
	{[ESP_DONE] = "decrypted", [ESP_NOT_ESP] = "not_esp", [ESP_MALFORMED] = "malformed", [ESP_FORGED] = "forged"},
	{[ESP_DONE] = "encrypted", [ESP_NOT_IPV4] = "not_ipv4", [ESP_TOO_LARGE] = "too_large"},
};

static void close_vpn(void *state)
{
	struct vpn *vpn = state;

	rte_free(vpn->shared);
	explicit_bzero(vpn, sizeof(*vpn));
	free(vpn);
}

/* One of two words: 1 when it is the second. An absent one is the first. */
static int read_choice(const json_t *config, const struct scope *scope, const char *key, const char *first,
	const char *second, bool *is_second)
{
	const json_t *value = json_object_get(config, key);
	const char *text = value == NULL ? first : json_string_value(value);

	if (text == NULL || (strcmp(text, first) != 0 && strcmp(text, second) != 0))
		return refuse(scope, key, "'%s' or '%s' is expected", first, second);
	*is_second = strcmp(text, second) == 0;
	return 0;
}

static int read_address(const json_t *config, const struct scope *scope, const char *key, const char *fallback,
	uint32_t *out)
{
	const json_t *value = json_object_get(config, key);
	const char *text = value == NULL ? fallback : json_string_value(value);

	if (text == NULL || inet_pton(AF_INET, text, out) != 1)
		return refuse(scope, key, "an IPv4 address such as 198.18.0.1 is expected");
	return 0;
}

static int hex_value(char digit)
{
	if (!isxdigit((unsigned char)digit))
		return -1;
	return digit <= '9' ? digit - '0' : (digit | 0x20) - 'a' + 10;
}

/* 40 digits; the message never repeats what was given. */
static int read_material(const json_t *config, const struct scope *scope, uint64_t seed,
	uint8_t material[ESP_MATERIAL_BYTES])
{
	const json_t *value = json_object_get(config, "key");
	const char *text = json_string_value(value);
	uint64_t random = nf_seed(seed);

	if (value == NULL || json_is_null(value)) { /* a key for demonstrations, that everybody can derive */
		for (uint32_t i = 0; i < ESP_MATERIAL_BYTES; i++)
			material[i] = (uint8_t)nf_random(&random);
		return 0;
	}
	if (text == NULL || json_string_length(value) != KEY_DIGITS)
		return refuse(scope, "key", "%u hexadecimal digits are expected: 16 bytes of key, 4 of salt", KEY_DIGITS);
	for (uint32_t i = 0; i < ESP_MATERIAL_BYTES; i++) {
		int high = hex_value(text[2 * i]), low = hex_value(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return refuse(scope, "key", "it contains a character that is not a hexadecimal digit");
		material[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

static int set_key(struct vpn *vpn, const json_t *config, const struct scope *scope)
{
	uint8_t material[ESP_MATERIAL_BYTES];
	uint64_t seed;

	if (config_uint(scope, config, "seed", 0, UINT32_MAX, 1, &seed) < 0 ||
	    read_material(config, scope, seed, material) < 0)
		return -1;
	esp_set_key(vpn->library, &vpn->sa, material);
	explicit_bzero(material, sizeof(material));
	return 0;
}

/*
 * Each opening is a new security association: a random SPI, sequence numbers from 1. The IVs count up from a random
 * 64-bit number: a key repeats one only if two of its associations overlap, for 2^40 packets each a chance of 2^-23.
 */
static int start_association(struct vpn *vpn, const struct scope *scope)
{
	if (getrandom(&vpn->sa.spi, sizeof(vpn->sa.spi), 0) != sizeof(vpn->sa.spi) ||
	    getrandom(&vpn->iv_start, sizeof(vpn->iv_start), 0) != sizeof(vpn->iv_start))
		return fail(scope->err, E_START_FAILED, scope->at, "the system returned no random numbers; try again");
	if (vpn->sa.spi < SPI_LEAST)
		vpn->sa.spi += SPI_LEAST;
	return 0;
}

static int fill(struct vpn *vpn, const json_t *config, const struct scope *scope)
{
	static const char *const fields[] = {"mode", "form", "key", "seed", "tunnel_src", "tunnel_dst", "mtu", NULL};
	bool decrypts = false, transport = false;
	uint64_t mtu;

	if (config_object(scope, config, fields) < 0 ||
	    read_choice(config, scope, "mode", "encrypt", "decrypt", &decrypts) < 0 ||
	    read_choice(config, scope, "form", "tunnel", "transport", &transport) < 0 ||
	    read_address(config, scope, "tunnel_src", "198.18.0.1", &vpn->sa.outer_src) < 0 ||
	    read_address(config, scope, "tunnel_dst", "198.18.0.2", &vpn->sa.outer_dst) < 0 ||
	    config_uint(scope, config, "mtu", MTU_LEAST, MTU_MOST, MTU_MOST, &mtu) < 0 ||
	    set_key(vpn, config, scope) < 0)
		return -1;
	vpn->encrypts = !decrypts;
	vpn->sa.tunnel = !transport;
	vpn->sa.mtu = (uint32_t)mtu;
	return start_association(vpn, scope);
}

static struct vpn *make(const struct scope *scope)
{
	struct vpn *vpn = aligned_alloc(_Alignof(struct vpn), sizeof(*vpn));

	if (vpn != NULL) {
		memset(vpn, 0, sizeof(*vpn));
		vpn->shared = rte_zmalloc(NULL, sizeof(*vpn->shared), RTE_CACHE_LINE_SIZE);
		if (vpn->shared != NULL)
			return vpn;
		close_vpn(vpn);
	}
	(void)fail(scope->err, E_NO_ROOM, scope->at, "no memory for the counters; remove a chain");
	return NULL;
}

static void *open_vpn(const json_t *config, const struct scope *scope, const char *tag)
{
	struct vpn *vpn = make(scope);

	(void)tag;
	if (vpn == NULL)
		return NULL;
	vpn->library = esp_library();
	if (vpn->library == NULL)
		(void)fail(scope->err, E_START_FAILED, scope->at, "intel-ipsec-mb does not run on this CPU (it needs AES-NI)");
	else if (fill(vpn, config, scope) == 0)
		return vpn;
	close_vpn(vpn);
	return NULL;
}

/* Wraps all, then seals all: esp.h says why. */
static void encrypt(struct vpn *vpn, struct rte_mbuf **packets, uint32_t count, enum esp_result *results)
{
	uint64_t sequence = counter_read(&vpn->shared->sequence);
	struct esp_work work[BURST];
	uint32_t wrapped = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t number = sequence + wrapped + 1;

		results[i] = esp_wrap(&vpn->sa, packets[i], (uint32_t)number, vpn->iv_start + number, &work[wrapped]);
		wrapped += results[i] == ESP_DONE ? 1 : 0;
	}
	counter_add(&vpn->shared->sequence, wrapped); /* first: none of them may come again */
	for (uint32_t i = 0; i < wrapped; i++)
		esp_seal(vpn->library, &vpn->sa, &work[i]);
}

static uint32_t process_vpn(void *state, struct rte_mbuf **packets, uint32_t count)
{
	struct vpn *vpn = state;
	enum esp_result results[BURST];
	uint32_t keep = 0;

	if (vpn->encrypts)
		encrypt(vpn, packets, count, results);
	for (uint32_t i = 0; i < count; i++) {
		if (!vpn->encrypts)
			results[i] = esp_decrypt(vpn->library, &vpn->sa, packets[i]);
		counter_add(&vpn->shared->results[results[i]], 1);
		keep |= (results[i] == ESP_DONE ? 1U : 0U) << i;
	}
	return keep;
}

static uint32_t primitive_vpn(void *state, struct rte_mbuf **packets, uint32_t count)
{
	const struct vpn *vpn = state;

	for (uint32_t i = 0; i < count; i++)
		esp_cipher(vpn->library, &vpn->sa, packets[i], vpn->encrypts);
	return 0;
}

static void describe_vpn(const void *state, json_t *out)
{
	const struct vpn *vpn = state;

	for (uint32_t i = 0; i < ESP_RESULTS; i++)
		if (RESULT_NAMES[vpn->encrypts][i] != NULL)
			json_object_set_new(out, RESULT_NAMES[vpn->encrypts][i],
				json_integer((json_int_t)counter_read(&vpn->shared->results[i])));
}

const struct nf_type NF_VPN = {.name = "vpn", .open = open_vpn, .process = process_vpn, .primitive = primitive_vpn,
	.describe = describe_vpn, .close = close_vpn};
