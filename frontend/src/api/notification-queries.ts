/** Where alerts are sent, and what was sent: what is read of it, and what changes it. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, WHOLE } from "./pages";
import type { ChannelSort, DeliverySort } from "./sorts";
import type { Channel, ChannelMade, ChannelNew, Delivery } from "./types";

/** Attempts are not in the stream. */
const FOLLOWED_MS = 5_000;
export const CHANNELS = ["notification-channels"] as const;
export const DELIVERIES = ["notification-deliveries"] as const;
const firstPage = null as string | null;

export const channelsQuery = (sort?: ChannelSort) =>
  queryOptions({
    queryKey: [...CHANNELS, sort ?? ""],
    queryFn: async () => {
      const wanted = { limit: WHOLE, ...(sort ? { sort } : {}) };
      return (
        await everyPage((after) =>
          body(api.GET("/api/v1/notification-channels", { params: { query: { ...wanted, ...after } } })),
        )
      ).items;
    },
    refetchInterval: FOLLOWED_MS,
    placeholderData: keepPreviousData,
  });

/** Messages with every attempt; newest first, or as they are to be sorted. */
export const deliveriesPages = (sort?: DeliverySort) =>
  infiniteQueryOptions({
    queryKey: [...DELIVERIES, sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const query = { limit: 20, ...(sort ? { sort } : {}), ...(pageParam ? { after: pageParam } : {}) };
      return body(api.GET("/api/v1/notification-deliveries", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    refetchInterval: FOLLOWED_MS,
    placeholderData: keepPreviousData,
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
