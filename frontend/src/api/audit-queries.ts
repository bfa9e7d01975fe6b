/** The audit log. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import type { AuditSort } from "./sorts";

export interface AuditParams {
  readonly actor?: string;
  readonly action?: string;
  readonly object_kind?: string;
  readonly object?: string;
  readonly request_id?: string;
  readonly since?: string;
  readonly until?: string;
  readonly sort?: AuditSort;
}

export const auditPages = (wanted: AuditParams) =>
  infiniteQueryOptions({
    queryKey: ["audit", wanted],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam: after }) =>
      body(api.GET("/api/v1/audit", { params: { query: { limit: 50, ...wanted, ...(after ? { after } : {}) } } })),
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  });

/** How far the log is sealed. */
export const auditSealQuery = queryOptions({
  queryKey: ["audit-seal"],
  queryFn: () => body(api.GET("/api/v1/audit/seal")),
  refetchInterval: 15_000,
  retry: false,
});
