/** Alerts, silences and rules: what is read of them, and what changes them. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, WHOLE } from "./pages";
import type { AlertSort, RuleSort, SilenceSort } from "./sorts";
import type { Alert, AlertRule, AlertSeverity, Silence } from "./types";

/** Everything below it is fetched anew whenever an alert or a silence has changed. */
export const ALERTS = ["alerts"] as const;
export const RULES = ["alert-rules"] as const;
const firstPage = null as string | null;

export interface AlertFilter {
  readonly state: "firing" | "resolved";
  readonly severity?: AlertSeverity | undefined;
  readonly sort?: AlertSort | undefined;
}

/** Newest first, or as they are to be sorted. */
export const alertPages = ({ state, severity, sort }: AlertFilter) =>
  infiniteQueryOptions({
    queryKey: [...ALERTS, "list", state, severity ?? null, sort ?? null],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const wanted = { state, limit: 50, ...(severity ? { severity } : {}), ...(sort ? { sort } : {}) };
      const query = { ...wanted, ...(pageParam ? { after: pageParam } : {}) };
      return body(api.GET("/api/v1/alerts", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

/** Those in force; newest first, or as they are to be sorted. */
export const silencesQuery = (sort?: SilenceSort) =>
  queryOptions({
    queryKey: [...ALERTS, "silences", sort ?? ""],
    queryFn: async () => {
      const wanted = { active: true, limit: WHOLE, ...(sort ? { sort } : {}) };
      return (
        await everyPage((after) =>
          body(api.GET("/api/v1/alert-silences", { params: { query: { ...wanted, ...after } } })),
        )
      ).items;
    },
    placeholderData: keepPreviousData,
  });

export const rulesQuery = (sort?: RuleSort) =>
  queryOptions({
    queryKey: [...RULES, sort ?? ""],
    queryFn: async () => {
      const wanted = { limit: WHOLE, ...(sort ? { sort } : {}) };
      return (
        await everyPage((after) => body(api.GET("/api/v1/alert-rules", { params: { query: { ...wanted, ...after } } })))
      ).items;
    },
    placeholderData: keepPreviousData,
  });

export function acknowledgeAlert(id: number, note: string): Promise<Alert> {
  return body(
    api.POST("/api/v1/alerts/{alert_id}/acknowledge", { params: { path: { alert_id: id } }, body: { note } }),
  );
}

/** Holds back the alerts of this rule about this object. */
export function silenceAlert(
  { kind, object_kind, object_name }: Alert,
  hours: number,
  reason: string,
): Promise<Silence> {
  const until = new Date(Date.now() + hours * 3_600_000).toISOString();
  return body(api.POST("/api/v1/alert-silences", { body: { kind, object_kind, object_name, until, reason } }));
}

export function endSilence(id: number): Promise<Silence> {
  return body(api.POST("/api/v1/alert-silences/{silence_id}/end", { params: { path: { silence_id: id } } }));
}

export interface RuleChange {
  readonly enabled: boolean;
  readonly severity: AlertSeverity;
  readonly fire_after_s: number;
  readonly resolve_after_s: number;
  readonly repeat_after_s: number;
  readonly parameters: Record<string, number>;
}

export function changeRule(rule: AlertRule, wanted: RuleChange): Promise<AlertRule> {
  const params = { path: { kind: rule.kind }, header: { "If-Match": `"${rule.version}"` } };
  return body(api.PATCH("/api/v1/alert-rules/{kind}", { params, body: wanted }));
}
