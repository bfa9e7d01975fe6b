/** Cores that several NFs of a host share, each second. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";

const EACH_SECOND_MS = 1_000;
const NOW_AND_THEN_MS = 10_000;

/** By which assigner chains that wait are best placed. */
export const assignerQuery = () =>
  queryOptions({
    queryKey: ["automation", "sfc2cpu", "assigner"],
    queryFn: () => body(api.GET("/api/v1/control/sfc2cpu/assigner")),
    refetchInterval: NOW_AND_THEN_MS,
    retry: false,
  });

export const NETWORKS = ["automation", "sfc2cpu", "networks"] as const;

/** Trained ones, newest first. */
export const networksQuery = () =>
  queryOptions({
    queryKey: [...NETWORKS, "trained"],
    queryFn: () => body(api.GET("/api/v1/control/sfc2cpu/networks", { params: { query: { limit: 50 } } })),
    refetchInterval: NOW_AND_THEN_MS,
    retry: false,
  });

/** Those that were put in force, newest first. */
export const promotionsQuery = () =>
  queryOptions({
    queryKey: [...NETWORKS, "promotions"],
    queryFn: () => body(api.GET("/api/v1/control/sfc2cpu/promotions", { params: { query: { limit: 50 } } })),
    refetchInterval: NOW_AND_THEN_MS,
    retry: false,
  });

export const sharedCoresQuery = (host: string) =>
  queryOptions({
    queryKey: ["automation", "sfc2cpu", "host", host],
    queryFn: () => body(api.GET("/api/v1/control/sfc2cpu/hosts/{host_id}", { params: { path: { host_id: host } } })),
    refetchInterval: EACH_SECOND_MS,
    retry: false,
  });
