/** Control laws: what each does, policies by scope, and the timeline. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, WHOLE } from "./pages";
import type { PolicySort, TimelineSort, WindowSort } from "./sorts";
import type { Automation, MaintenanceWindow, PolicyMode, ScopedPolicy } from "./types";

/** As often as laws are evaluated at most. */
const FOLLOWED_MS = 5_000;
const AUTOMATION = ["automation"] as const;
export const POLICIES = [...AUTOMATION, "policies"] as const;
export const WINDOWS = [...AUTOMATION, "windows"] as const;
const firstPage = null as string | null;

export const automationQuery = queryOptions({
  queryKey: [...AUTOMATION, "laws"],
  queryFn: () => body(api.GET("/api/v1/automation")),
  refetchInterval: FOLLOWED_MS,
});

/** What Sextant does by itself on one host. */
export const hostAutomationQuery = (host: string) =>
  queryOptions({
    queryKey: [...AUTOMATION, "host", host],
    queryFn: () => body(api.GET("/api/v1/automation/hosts/{host_id}", { params: { path: { host_id: host } } })),
    refetchInterval: FOLLOWED_MS,
    retry: false,
  });

/** In the order in which they were first set, or as they are to be sorted. */
export const policiesPages = (sort?: PolicySort) =>
  infiniteQueryOptions({
    queryKey: [...POLICIES, sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const query = { limit: WHOLE, ...(sort ? { sort } : {}), ...(pageParam ? { after: pageParam } : {}) };
      return body(api.GET("/api/v1/policies", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

/** Of one law, those of hosts: all of them. */
export const hostModesQuery = (law: string) =>
  queryOptions({
    queryKey: [...POLICIES, law, "host"],
    queryFn: () =>
      everyPage((after) =>
        body(api.GET("/api/v1/policies", { params: { query: { law, scope: "host", limit: WHOLE, ...after } } })),
      ),
    refetchInterval: FOLLOWED_MS,
  });

/** Newest first, or as they are to be sorted. `law`: what is of it or of all laws; null: every law's. */
export const timelinePages = (law: string | null, sort?: TimelineSort) =>
  infiniteQueryOptions({
    queryKey: [...AUTOMATION, "timeline", law, sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const wanted = { limit: 50, ...(law ? { law } : {}), ...(sort ? { sort } : {}) };
      const query = { ...wanted, ...(pageParam ? { after: pageParam } : {}) };
      return body(api.GET("/api/v1/automation/timeline", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    refetchInterval: FOLLOWED_MS,
    placeholderData: keepPreviousData,
  });

/** Those to come, those that are on, and those of the last year; newest first, or as they are to be sorted. */
export const windowsPages = (sort?: WindowSort) =>
  infiniteQueryOptions({
    queryKey: [...WINDOWS, sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const query = { limit: 20, ...(sort ? { sort } : {}), ...(pageParam ? { after: pageParam } : {}) };
      return body(api.GET("/api/v1/maintenance-windows", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    refetchInterval: FOLLOWED_MS,
    placeholderData: keepPreviousData,
  });

/** All control laws rest from `startsAt` (null: now) until `endsAt`, on a host or (null) in the fleet. */
export function planWindow(asked: {
  host: string | null;
  startsAt: string | null;
  endsAt: string;
  reason: string;
}): Promise<MaintenanceWindow> {
  const { host, startsAt, endsAt, reason } = asked;
  return body(
    api.POST("/api/v1/maintenance-windows", { body: { host, starts_at: startsAt, ends_at: endsAt, reason } }),
  );
}

export function endWindow(id: number): Promise<MaintenanceWindow> {
  return body(api.POST("/api/v1/maintenance-windows/{window_id}/end", { params: { path: { window_id: id } } }));
}

/** All control laws. `version`: as it was seen. */
export function switchAutomation(version: number, stopped: boolean): Promise<Automation> {
  const params = { header: { "If-Match": `"${version}"` } };
  return body(api.PUT("/api/v1/automation", { params, body: { stopped } }));
}

export type NarrowScope = "host" | "chain";

export function setMode(law: string, scope: NarrowScope, name: string, mode: PolicyMode): Promise<ScopedPolicy> {
  const params = { path: { law, scope, name } };
  return body(api.PUT("/api/v1/policies/{law}/{scope}/{name}", { params, body: { mode } }));
}

/** The next wider scope's policy applies from then on. */
export async function clearMode(law: string, scope: NarrowScope, name: string): Promise<void> {
  await body(api.DELETE("/api/v1/policies/{law}/{scope}/{name}", { params: { path: { law, scope, name } } }));
}
