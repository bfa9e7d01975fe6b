/** What applied plans predict of chains as they stand, beside what they carry; and what a new chain, or other settings, would do. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import type { ChainChange, ChainSpec } from "./types";

/** Of one host, or of the whole fleet; figures are means of ten seconds, and no event reports them. */
export const predictionsQuery = (host?: string) =>
  queryOptions({
    queryKey: ["predictions", host ?? "fleet"],
    queryFn: () => body(api.GET("/api/v1/predictions", { params: { query: host ? { host } : {} } })),
    refetchInterval: 5000,
  });

/** What a chain would do that is being drawn; null: none. Another chain aborts the request, and keeps the last answer. */
export const newChainQuery = (spec: ChainSpec | null) =>
  queryOptions({
    queryKey: ["new-chain", spec],
    queryFn: ({ signal }) =>
      spec === null ? null : body(api.POST("/api/v1/chains/predictions", { body: spec, signal })),
    enabled: spec !== null,
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
    gcTime: 0,
    retry: false,
  });

/** What other settings of a chain would do; null: none are asked for. As `newChainQuery`. */
export const settingsPredictionQuery = (name: string, change: ChainChange | null) =>
  queryOptions({
    queryKey: ["settings-prediction", name, change],
    queryFn: ({ signal }) =>
      change === null
        ? null
        : body(
            api.POST("/api/v1/chains/{name}/settings/predictions", {
              params: { path: { name } },
              body: change,
              signal,
            }),
          ),
    enabled: change !== null,
    placeholderData: keepPreviousData,
    refetchInterval: 15_000,
    gcTime: 0,
    retry: false,
  });
