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

/** All chains of a host together, one of its cores, or an NF on whichever host and core it stood. */
export type Subject =
  | { readonly kind: "host"; readonly host: string }
  | { readonly kind: "core"; readonly host: string; readonly core: number }
  | { readonly kind: "nf"; readonly nf: string };

export const figuresQuery = (of: Subject, between: Between, everyMs: number | null) =>
  queryOptions({
    queryKey: ["figures", of, between],
    queryFn: async ({ signal }) => (await figuresOf(of, { ...between, format: "json" }, signal)) as History,
    placeholderData: (before, query) =>
      JSON.stringify(query?.queryKey[1]) === JSON.stringify(of) ? before : undefined,
    staleTime: everyMs ?? 60_000,
  });

function figuresOf(of: Subject, query: Between & { format: "json" }, signal: AbortSignal) {
  switch (of.kind) {
    case "host":
      return body(
        api.GET("/api/v1/hosts/{host_id}/history", { params: { path: { host_id: of.host }, query }, signal }),
      );
    case "core":
      return body(
        api.GET("/api/v1/hosts/{host_id}/cores/{core}/history", {
          params: { path: { host_id: of.host, core: of.core }, query },
          signal,
        }),
      );
    case "nf":
      return body(api.GET("/api/v1/nfs/{nf_id}/history", { params: { path: { nf_id: of.nf }, query }, signal }));
  }
}

/** `parts`: what the address names, such as `["hosts", "edge-1", "cores", 3]`. */
export const csvPath = (parts: readonly (string | number)[], { from, to }: Between) =>
  `/api/v1/${parts.map(encodeURIComponent).join("/")}/history?${new URLSearchParams({ from, to, format: "csv" })}`;

/** What happened in a range, to a chain, to a host, or to all. */
export const marksQuery = (between: Between, to: { chain?: string; host?: string } = {}) =>
  queryOptions({
    queryKey: ["history-marks", between, to],
    queryFn: ({ signal }) =>
      body(api.GET("/api/v1/history/marks", { params: { query: { ...between, ...to } }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** The whole of it, one host, or one chain and the hosts that reported it. */
export interface PastOf {
  readonly host?: string;
  readonly chain?: string;
}

/** The fleet as it was; another moment aborts the request, and keeps the last answer until it is there. */
export const pastFleetQuery = (at: string | null, of: PastOf = {}) =>
  queryOptions({
    queryKey: ["past-fleet", at, of],
    queryFn: ({ signal }) =>
      at === null ? null : body(api.GET("/api/v1/history/fleet", { params: { query: { at, ...of } }, signal })),
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
