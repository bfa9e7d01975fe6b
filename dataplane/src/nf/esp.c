#include "nf/esp.h"

#include <netinet/in.h>
#include <string.h>

#include "nf/packet.h"

#define ALIGN 4U /* of what is encrypted, with its trailer (RFC 4303, 2.4) */
#define TAG_BYTES 16U
#define TTL 64
#define FRAME_BYTES_MIN 60U /* without FCS */

struct esp { /* as on the wire; the first two words are authenticated (RFC 4106, 5) */
	uint32_t spi, sequence;
	uint64_t iv;
} __attribute__((packed));

#define AUTHENTICATED 8U

struct trailer {
	uint8_t pad_bytes, next;
};

IMB_MGR *esp_library(void)
{
	static IMB_MGR *library;
	IMB_ARCH arch = IMB_ARCH_NONE;

	if (library != NULL)
		return library;
	library = alloc_mb_mgr(0);
	if (library != NULL)
		init_mb_mgr_auto(library, &arch);
	if (library != NULL && arch == IMB_ARCH_NONE) {
		free_mb_mgr(library);
		library = NULL;
	}
	return library;
}

void esp_set_key(IMB_MGR *library, struct esp_sa *sa, const uint8_t material[ESP_MATERIAL_BYTES])
{
	IMB_AES128_GCM_PRE(library, material, &sa->key);
	memcpy(sa->salt, material + ESP_KEY_BYTES, ESP_SALT_BYTES);
}

static void make_nonce(const struct esp_sa *sa, const struct esp *esp, uint8_t nonce[ESP_NONCE_BYTES])
{
	memcpy(nonce, sa->salt, ESP_SALT_BYTES);
	memcpy(nonce + ESP_SALT_BYTES, &esp->iv, sizeof(esp->iv));
}

/* The checksum is adjusted, not computed anew: one that was wrong before stays wrong. */
static void set_length(struct rte_ipv4_hdr *ip, uint32_t bytes)
{
	uint16_t before = ip->total_length;

	ip->total_length = rte_cpu_to_be_16((uint16_t)bytes);
	ip->hdr_checksum = checksum_update(ip->hdr_checksum, checksum_change16(before, ip->total_length));
}

static void set_protocol(struct rte_ipv4_hdr *ip, uint8_t protocol)
{
	uint32_t change = checksum_change16((uint16_t)(ip->next_proto_id << 8), (uint16_t)(protocol << 8));

	ip->next_proto_id = protocol;
	ip->hdr_checksum = checksum_update(ip->hdr_checksum, change);
}

/* DSCP, ECN and DF are those of the packet inside (RFC 4301, 5.1.2.1). */
static void write_outer(const struct esp_sa *sa, const struct rte_ipv4_hdr *inner, uint32_t bytes, uint32_t sequence,
	struct rte_ipv4_hdr *outer)
{
	*outer = (struct rte_ipv4_hdr){
		.version_ihl = RTE_IPV4_VHL_DEF,
		.type_of_service = inner->type_of_service,
		.total_length = rte_cpu_to_be_16((uint16_t)bytes),
		.packet_id = rte_cpu_to_be_16((uint16_t)sequence),
		.fragment_offset = inner->fragment_offset & rte_cpu_to_be_16(RTE_IPV4_HDR_DF_FLAG),
		.time_to_live = TTL,
		.next_proto_id = IPPROTO_ESP,
		.src_addr = sa->outer_src,
		.dst_addr = sa->outer_dst,
	};
	outer->hdr_checksum = rte_ipv4_cksum(outer);
}

/* Pads with 1, 2, 3 ... and says how much of that there is and what the content is; returns the trailer's end. */
static uint8_t *write_trailer(uint8_t *at, uint32_t pad, uint8_t next)
{
	for (uint32_t i = 0; i < pad; i++)
		at[i] = (uint8_t)(i + 1);
	at[pad] = (uint8_t)pad;
	at[pad + 1] = next;
	return at + pad + sizeof(struct trailer);
}

/* Where everything comes to lie. */
struct wrap {
	uint32_t kept;  /* of the IPv4 header, in front of ESP and in the clear */
	uint32_t head;  /* bytes added in front of what is encrypted */
	uint32_t bytes; /* of the packet, to be encrypted */
	uint32_t pad, tail, total;
};

static struct wrap measure(const struct esp_sa *sa, const struct packet_view *view)
{
	struct wrap wrap = {.kept = sa->tunnel ? 0 : packet_header_bytes(view), .head = sizeof(struct esp)};

	if (sa->tunnel)
		wrap.head += (uint32_t)sizeof(struct rte_ipv4_hdr);
	wrap.bytes = packet_bytes(view) - wrap.kept;
	wrap.pad = -(wrap.bytes + (uint32_t)sizeof(struct trailer)) % ALIGN;
	wrap.tail = wrap.pad + (uint32_t)sizeof(struct trailer) + TAG_BYTES;
	wrap.total = wrap.head + packet_bytes(view) + wrap.tail;
	return wrap;
}

static bool fits(const struct esp_sa *sa, const struct rte_mbuf *packet, const struct packet_view *view,
	const struct wrap *wrap)
{
	uint32_t room = packet->data_len + (uint32_t)rte_pktmbuf_tailroom(packet);

	return wrap->total <= sa->mtu && wrap->head <= rte_pktmbuf_headroom(packet) &&
		sizeof(struct rte_ether_hdr) + packet_bytes(view) + wrap->tail <= room;
}

/* Makes room in front and at the end: the headers that stay in the clear move forward, nothing else moves. */
static struct rte_ipv4_hdr *stretch(struct rte_mbuf *packet, const struct wrap *wrap)
{
	uint8_t *frame = rte_pktmbuf_mtod(packet, uint8_t *);

	memmove(frame - wrap->head, frame, sizeof(struct rte_ether_hdr) + wrap->kept);
	packet->data_off = (uint16_t)(packet->data_off - wrap->head);
	packet->data_len = (uint16_t)(sizeof(struct rte_ether_hdr) + wrap->total);
	packet->pkt_len = packet->data_len;
	return (struct rte_ipv4_hdr *)(frame - wrap->head + sizeof(struct rte_ether_hdr));
}

enum esp_result esp_wrap(const struct esp_sa *sa, struct rte_mbuf *packet, uint32_t sequence, uint64_t iv,
	struct esp_work *work)
{
	struct packet_view view;
	struct wrap wrap;
	struct rte_ipv4_hdr *ip;
	struct esp *esp;
	uint8_t *content, *end, next = IPPROTO_IPIP;

	if (!packet_read_ip(packet, &view) || (!sa->tunnel && packet_is_fragment(&view)))
		return ESP_NOT_IPV4;
	wrap = measure(sa, &view);
	if (!fits(sa, packet, &view, &wrap))
		return ESP_TOO_LARGE;
	content = (uint8_t *)view.ip + wrap.kept;
	ip = stretch(packet, &wrap);
	if (sa->tunnel) {
		write_outer(sa, view.ip, wrap.total, sequence, ip);
	} else {
		next = ip->next_proto_id;
		set_protocol(ip, IPPROTO_ESP);
		set_length(ip, wrap.total);
	}
	esp = (struct esp *)(content - sizeof(*esp));
	*esp = (struct esp){rte_cpu_to_be_32(sa->spi), rte_cpu_to_be_32(sequence), rte_cpu_to_be_64(iv)};
	end = write_trailer(content + wrap.bytes, wrap.pad, next);
	make_nonce(sa, esp, work->nonce);
	work->content = content;
	work->bytes = (uint32_t)(end - content);
	return ESP_DONE;
}

void esp_seal(IMB_MGR *library, const struct esp_sa *sa, const struct esp_work *work)
{
	struct gcm_context_data context;
	uint8_t *content = work->content;

	IMB_AES128_GCM_ENC(library, &sa->key, &context, content, content, work->bytes, work->nonce,
		content - sizeof(struct esp), AUTHENTICATED, content + work->bytes, TAG_BYTES);
}

void esp_cipher(IMB_MGR *library, const struct esp_sa *sa, struct rte_mbuf *packet, bool encrypts)
{
	uint8_t *content = rte_pktmbuf_mtod_offset(packet, uint8_t *, sizeof(struct rte_ether_hdr)), tag[TAG_BYTES];
	uint64_t bytes = packet->data_len - sizeof(struct rte_ether_hdr);
	static const uint8_t nonce[ESP_NONCE_BYTES];
	struct gcm_context_data context;

	if (encrypts)
		IMB_AES128_GCM_ENC(library, &sa->key, &context, content, content, bytes, nonce, content - AUTHENTICATED,
			AUTHENTICATED, tag, TAG_BYTES);
	else
		IMB_AES128_GCM_DEC(library, &sa->key, &context, content, content, bytes, nonce, content - AUTHENTICATED,
			AUTHENTICATED, tag, TAG_BYTES);
}

/* In the same time wherever they differ. */
static bool tags_differ(const uint8_t *a, const uint8_t *b)
{
	uint8_t difference = 0;

	for (uint32_t i = 0; i < TAG_BYTES; i++)
		difference |= a[i] ^ b[i];
	return difference != 0;
}

/* As a network card does: NFs after this one rely on a frame's least length. What is small has room behind it. */
static void fill_up(struct rte_mbuf *packet)
{
	if (packet->data_len >= FRAME_BYTES_MIN)
		return;
	memset(rte_pktmbuf_mtod(packet, uint8_t *) + packet->data_len, 0, FRAME_BYTES_MIN - packet->data_len);
	packet->pkt_len = packet->data_len = FRAME_BYTES_MIN;
}

/* Takes away ESP and, of a tunnel, the outer header; `inner` is what is to remain. */
static void unwrap(struct rte_mbuf *packet, uint32_t kept, uint8_t *inner, uint32_t bytes)
{
	uint8_t *frame = rte_pktmbuf_mtod(packet, uint8_t *), *start = inner - kept - sizeof(struct rte_ether_hdr);

	memmove(start, frame, sizeof(struct rte_ether_hdr) + kept);
	packet->data_off = (uint16_t)(packet->data_off + (start - frame));
	packet->data_len = (uint16_t)(sizeof(struct rte_ether_hdr) + kept + bytes);
	packet->pkt_len = packet->data_len;
	fill_up(packet);
}

static enum esp_result unwrap_tunnel(struct rte_mbuf *packet, uint8_t *content, uint32_t bytes, uint8_t next)
{
	const struct rte_ipv4_hdr *inner = (const struct rte_ipv4_hdr *)content;

	if (next != IPPROTO_IPIP || bytes < sizeof(*inner) || !ip_is_whole(inner, bytes))
		return ESP_MALFORMED;
	unwrap(packet, 0, content, rte_be_to_cpu_16(inner->total_length)); /* what is beyond only hides the length */
	return ESP_DONE;
}

static enum esp_result unwrap_transport(struct rte_mbuf *packet, const struct packet_view *view, uint8_t *content,
	uint32_t bytes, uint8_t next)
{
	set_protocol(view->ip, next);
	set_length(view->ip, packet_header_bytes(view) + bytes);
	unwrap(packet, packet_header_bytes(view), content, bytes);
	return ESP_DONE;
}

enum esp_result esp_decrypt(IMB_MGR *library, const struct esp_sa *sa, struct rte_mbuf *packet)
{
	struct packet_view view;
	struct gcm_context_data context;
	const struct esp *esp;
	const struct trailer *trailer;
	uint8_t nonce[ESP_NONCE_BYTES], tag[TAG_BYTES], *content;
	uint32_t bytes;

	if (!packet_read_ip(packet, &view) || view.ip->next_proto_id != IPPROTO_ESP || packet_is_fragment(&view))
		return ESP_NOT_ESP;
	bytes = packet_bytes(&view) - packet_header_bytes(&view);
	if (bytes < sizeof(*esp) + sizeof(*trailer) + TAG_BYTES)
		return ESP_MALFORMED;
	bytes -= (uint32_t)sizeof(*esp) + TAG_BYTES;
	esp = (const struct esp *)packet_l4(&view);
	content = packet_l4(&view) + sizeof(*esp);
	make_nonce(sa, esp, nonce);
	IMB_AES128_GCM_DEC(library, &sa->key, &context, content, content, bytes, nonce, (const uint8_t *)esp, AUTHENTICATED,
		tag, TAG_BYTES);
	if (tags_differ(tag, content + bytes))
		return ESP_FORGED;
	bytes -= (uint32_t)sizeof(*trailer);
	trailer = (const struct trailer *)(content + bytes);
	if (trailer->pad_bytes > bytes)
		return ESP_MALFORMED;
	bytes -= trailer->pad_bytes;
	return sa->tunnel ? unwrap_tunnel(packet, content, bytes, trailer->next) :
		unwrap_transport(packet, &view, content, bytes, trailer->next);
}
