/*
 * ESP in place on a packet (RFC 4303) with AES-128-GCM (RFC 4106), by intel-ipsec-mb: 8 bytes of explicit IV, a 16-byte
 * tag, 32-bit sequence numbers. Keys are set by hand, so there is no anti-replay window (RFC 4303, 3.3.3).
 */
#ifndef SEXTANT_ESP_H
#define SEXTANT_ESP_H

#include <intel-ipsec-mb.h>
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stdint.h>

#define ESP_KEY_BYTES 16U
#define ESP_SALT_BYTES 4U
#define ESP_NONCE_BYTES 12U
#define ESP_MATERIAL_BYTES (ESP_KEY_BYTES + ESP_SALT_BYTES) /* the key, then the salt (RFC 4106, 8.1) */

/* A security association. */
struct esp_sa {
	_Alignas(64) struct gcm_key_data key; /* ipsec-mb wants 16 bytes at least */
	uint8_t salt[ESP_SALT_BYTES];
	bool tunnel; /* otherwise transport */
	uint32_t outer_src, outer_dst; /* of a tunnel, network byte order */
	uint32_t mtu; /* the longest IP packet that may result */
	uint32_t spi; /* of what is encrypted, host byte order; what is decrypted may carry any */
};

enum esp_result {
	ESP_DONE,
	ESP_NOT_IPV4,  /* nothing to encrypt: no whole IPv4 packet, or a fragment in transport mode */
	ESP_TOO_LARGE, /* it would exceed the MTU or the packet's buffer */
	ESP_NOT_ESP,   /* nothing to decrypt */
	ESP_MALFORMED, /* too short, or authentic and yet not what the mode expects inside */
	ESP_FORGED,    /* the tag is wrong: another key, or changed on the way */
	ESP_RESULTS,
};

/* The library's table of functions for this CPU, made once; NULL when it does not run here. */
IMB_MGR *esp_library(void);

void esp_set_key(IMB_MGR *library, struct esp_sa *sa, const uint8_t material[ESP_MATERIAL_BYTES]);

/* What the cipher is to do with a packet. */
struct esp_work {
	uint8_t *content; /* to be encrypted in place; the tag goes behind it */
	uint32_t bytes;
	uint8_t nonce[ESP_NONCE_BYTES];
};

/*
 * Encrypting has two steps: wrapping makes the ESP packet with its content in the clear, sealing encrypts it. Wrap a burst,
 * then seal it: a cipher that reads what has just been written in smaller pieces waits for it (a third of all cycles). With
 * one key no `iv` may ever come twice. A packet that is refused is unchanged.
 */
enum esp_result esp_wrap(const struct esp_sa *sa, struct rte_mbuf *packet, uint32_t sequence, uint64_t iv,
	struct esp_work *work);
void esp_seal(IMB_MGR *library, const struct esp_sa *sa, const struct esp_work *work);

/* For benches: the cipher alone over all of the IPv4 packet, in place, which spoils it. */
void esp_cipher(IMB_MGR *library, const struct esp_sa *sa, struct rte_mbuf *packet, bool encrypts);

/* Undoes it. A packet that is refused as malformed or forged is spoilt. */
enum esp_result esp_decrypt(IMB_MGR *library, const struct esp_sa *sa, struct rte_mbuf *packet);

#endif
