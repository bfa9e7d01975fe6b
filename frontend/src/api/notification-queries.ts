/** Where alerts are sent, and what was sent: what is read of it, and what changes it. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, WHOLE } from "./pages";
import type { Channel, ChannelMade, ChannelNew, Delivery } from "./types";

/** Attempts are not in the stream. */
const FOLLOWED_MS = 5_000;
export const CHANNELS = ["notification-channels"] as const;
export const DELIVERIES = ["notification-deliveries"] as const;

export const channelsQuery = queryOptions({
  queryKey: CHANNELS,
  queryFn: async () =>
    (
      await everyPage((after) =>
        body(api.GET("/api/v1/notification-channels", { params: { query: { limit: WHOLE, ...after } } })),
      )
    ).items,
  refetchInterval: FOLLOWED_MS,
});

/** The newest messages with every attempt. */
export const deliveriesQuery = queryOptions({
  queryKey: DELIVERIES,
  queryFn: async () =>
    (await body(api.GET("/api/v1/notification-deliveries", { params: { query: { limit: 20 } } }))).items,
  refetchInterval: FOLLOWED_MS,
});

/** The answer alone shows a generated secret. */
export function createChannel(asked: ChannelNew): Promise<ChannelMade> {
  return body(api.POST("/api/v1/notification-channels", { body: asked }));
}

export function switchChannel(channel: Channel, enabled: boolean): Promise<Channel> {
  const params = { path: { channel_id: channel.id }, header: { "If-Match": `"${channel.version}"` } };
  return body(api.PATCH("/api/v1/notification-channels/{channel_id}", { params, body: { enabled } }));
}

export function testChannel(id: number): Promise<Delivery> {
  return body(api.POST("/api/v1/notification-channels/{channel_id}/test", { params: { path: { channel_id: id } } }));
}

export async function deleteChannel(channel: Channel): Promise<void> {
  const params = { path: { channel_id: channel.id }, header: { "If-Match": `"${channel.version}"` } };
  await body(api.DELETE("/api/v1/notification-channels/{channel_id}", { params }));
}
