/** What was measured earlier. */

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import type { History } from "./types";

/** A range of time as the API takes it. */
export interface Between {
  readonly from: string;
  readonly to: string;
}

/** `ends`: the range lies in the past and does not change any more; else it is asked for again from time to time. */
export const chainFiguresQuery = (name: string, between: Between, everyMs: number | null) =>
  queryOptions({
    queryKey: ["chain-figures", name, between],
    queryFn: async ({ signal }) => {
      const asked = api.GET("/api/v1/chains/{name}/history", {
        params: { path: { name }, query: { ...between, format: "json" } },
        signal,
      });
      return (await body(asked)) as History;
    },
    placeholderData: keepPreviousData,
    staleTime: everyMs ?? 60_000,
  });

/** The same of all chains of a host together. */
export const hostFiguresQuery = (host: string, between: Between, everyMs: number | null) =>
  queryOptions({
    queryKey: ["host-figures", host, between],
    queryFn: async ({ signal }) => {
      const asked = api.GET("/api/v1/hosts/{host_id}/history", {
        params: { path: { host_id: host }, query: { ...between, format: "json" } },
        signal,
      });
      return (await body(asked)) as History;
    },
    placeholderData: keepPreviousData,
    staleTime: everyMs ?? 60_000,
  });

export const csvPath = (of: "chains" | "hosts", name: string, { from, to }: Between) =>
  `/api/v1/${of}/${encodeURIComponent(name)}/history?${new URLSearchParams({ from, to, format: "csv" })}`;

/** What happened in a range, to a chain, to a host, or to all. */
export const marksQuery = (between: Between, to: { chain?: string; host?: string } = {}) =>
  queryOptions({
    queryKey: ["history-marks", between, to],
    queryFn: ({ signal }) =>
      body(api.GET("/api/v1/history/marks", { params: { query: { ...between, ...to } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** The fleet as it was; another moment aborts the request, and keeps the last answer until it is there. */
export const pastFleetQuery = (at: string | null) =>
  queryOptions({
    queryKey: ["past-fleet", at],
    queryFn: ({ signal }) =>
      at === null ? null : body(api.GET("/api/v1/history/fleet", { params: { query: { at } }, signal })),
    enabled: at !== null,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

export const differenceQuery = (before: string, after: string) =>
  queryOptions({
    queryKey: ["fleet-difference", before, after],
    queryFn: ({ signal }) =>
      body(api.GET("/api/v1/history/differences", { params: { query: { before, after } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

export const historySizeQuery = queryOptions({
  queryKey: ["history-size"],
  queryFn: () => body(api.GET("/api/v1/history/size")),
  staleTime: 60_000,
});

export const chainComplianceQuery = (name: string, between: Between) =>
  queryOptions({
    queryKey: ["compliance", name, between],
    queryFn: () =>
      body(api.GET("/api/v1/chains/{name}/compliance", { params: { path: { name }, query: { ...between } } })),
    staleTime: 60_000,
  });
