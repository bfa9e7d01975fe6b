#include "netlink_message.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define ANSWER_BYTES 65536 /* the kernel puts no more into one datagram of a dump */

void message_append(struct message *message, const void *data, size_t size)
{
	size_t at = NLMSG_ALIGN(message->header.nlmsg_len);

	if (at + size > sizeof(message->bytes))
		abort(); /* bounded by what names allow */
	if (size > 0)
		memcpy(message->bytes + at, data, size);
	message->header.nlmsg_len = (uint32_t)(at + size);
}

void message_start(struct message *message, int type, int flags, const void *body, size_t size)
{
	memset(message, 0, sizeof(*message));
	message->header.nlmsg_len = NLMSG_HDRLEN;
	message->header.nlmsg_type = (uint16_t)type;
	message->header.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | flags);
	message_append(message, body, size);
}

void message_put(struct message *message, int type, const void *data, size_t size)
{
	struct rtattr attribute = {.rta_type = (uint16_t)type, .rta_len = (uint16_t)RTA_LENGTH(size)};

	message_append(message, &attribute, sizeof(attribute));
	message_append(message, data, size);
}

struct rtattr *message_nest(struct message *message, int type)
{
	struct rtattr *nest = (struct rtattr *)(message->bytes + NLMSG_ALIGN(message->header.nlmsg_len));

	message_put(message, type, NULL, 0);
	return nest;
}

void message_end(struct message *message, struct rtattr *nest)
{
	nest->rta_len = (uint16_t)(message->bytes + message->header.nlmsg_len - (char *)nest);
}

const struct rtattr *message_attribute(const struct nlmsghdr *header, size_t body, const struct rtattr *last)
{
	const char *start = (const char *)header;
	size_t at = last == NULL ? NLMSG_SPACE(body) : (size_t)((const char *)last - start) + RTA_ALIGN(last->rta_len);
	const struct rtattr *attribute = (const struct rtattr *)(start + at);

	if (at + sizeof(*attribute) > header->nlmsg_len || attribute->rta_len < sizeof(*attribute) ||
		at + attribute->rta_len > header->nlmsg_len)
		return NULL;
	return attribute;
}

void message_text(const struct rtattr *attribute, char *room, size_t size)
{
	size_t length = RTA_PAYLOAD(attribute) < size ? RTA_PAYLOAD(attribute) : size - 1;

	memcpy(room, RTA_DATA(attribute), length);
	room[length] = '\0';
}

/* 1: the answer is over, 0: more comes, or a negative errno. */
static int read_part(const struct nlmsghdr *header, void (*part)(void *context, const struct nlmsghdr *header), void *context)
{
	const struct nlmsgerr *error = NLMSG_DATA(header);

	if (header->nlmsg_type == NLMSG_ERROR)
		return error->error < 0 ? error->error : 1;
	if (header->nlmsg_type == NLMSG_DONE)
		return 1;
	if (part != NULL)
		part(context, header);
	return 0;
}

static int read_answer(int netlink, uint32_t sequence, void (*part)(void *context, const struct nlmsghdr *header), void *context)
{
	char *room = malloc(ANSWER_BYTES);
	int result = room == NULL ? -ENOMEM : 0;

	while (result == 0) {
		ssize_t got = recv(netlink, room, ANSWER_BYTES, 0);
		unsigned int left = got > 0 ? (unsigned int)got : 0;

		if (got < 0 && errno != EINTR)
			result = -errno;
		for (struct nlmsghdr *at = (struct nlmsghdr *)room; result == 0 && NLMSG_OK(at, left); at = NLMSG_NEXT(at, left))
			if (at->nlmsg_seq == sequence)
				result = read_part(at, part, context);
	}
	free(room);
	return result < 0 ? result : 0;
}

static int talk(int netlink, struct message *message, void (*part)(void *context, const struct nlmsghdr *header), void *context)
{
	static atomic_uint last; /* whoever asks has a socket of its own, or the daemon's lock */
	const uint32_t sequence = atomic_fetch_add(&last, 1) + 1;

	message->header.nlmsg_seq = sequence;
	if (send(netlink, message, message->header.nlmsg_len, 0) < 0)
		return -errno;
	return read_answer(netlink, sequence, part, context);
}

int message_send(int netlink, struct message *message)
{
	message->header.nlmsg_flags |= NLM_F_ACK;
	return talk(netlink, message, NULL, NULL);
}

int message_dump(int netlink, struct message *message, void (*part)(void *context, const struct nlmsghdr *header), void *context)
{
	return talk(netlink, message, part, context);
}
