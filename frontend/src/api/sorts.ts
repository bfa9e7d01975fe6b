/** What lists that come page by page can be sorted by: the server sorts them, since no page holds all rows. */

import type { operations } from "./schema.gen";

type Sorted =
  | "listAlertRules"
  | "listAlerts"
  | "listArtefacts"
  | "listAudit"
  | "listChannels"
  | "listComparisons"
  | "listDeliveries"
  | "listEnrolments"
  | "listMaintenanceWindows"
  | "listOperations"
  | "listPlans"
  | "listPolicies"
  | "listProfilingJobs"
  | "listRaces"
  | "listRecommendations"
  | "listSessions"
  | "listSilences"
  | "listStudies"
  | "listTimeline"
  | "listTokens"
  | "listUsers";
type SortOf<Name extends Sorted> = NonNullable<NonNullable<operations[Name]["parameters"]["query"]>["sort"]>;
export type AlertSort = SortOf<"listAlerts">;
export type ArtefactSort = SortOf<"listArtefacts">;
export type AuditSort = SortOf<"listAudit">;
export type ChannelSort = SortOf<"listChannels">;
export type ComparisonSort = SortOf<"listComparisons">;
export type DeliverySort = SortOf<"listDeliveries">;
export type EnrolmentSort = SortOf<"listEnrolments">;
export type OperationSort = SortOf<"listOperations">;
export type PlanSort = SortOf<"listPlans">;
export type PolicySort = SortOf<"listPolicies">;
export type ProfilingSort = SortOf<"listProfilingJobs">;
export type RaceSort = SortOf<"listRaces">;
export type RecommendationSort = SortOf<"listRecommendations">;
export type RuleSort = SortOf<"listAlertRules">;
export type SessionSort = SortOf<"listSessions">;
export type SilenceSort = SortOf<"listSilences">;
export type StudySort = SortOf<"listStudies">;
export type TimelineSort = SortOf<"listTimeline">;
export type TokenSort = SortOf<"listTokens">;
export type UserSort = SortOf<"listUsers">;
export type WindowSort = SortOf<"listMaintenanceWindows">;

export const ALERT_SORTS: readonly AlertSort[] = [
  ...(["id", "-id", "kind", "-kind", "severity", "-severity"] as const),
  ...(["fired_at", "-fired_at", "object_name", "-object_name"] as const),
];
export const ARTEFACT_SORTS: readonly ArtefactSort[] = [
  ...(["id", "-id", "name", "-name", "kind", "-kind", "size_bytes", "-size_bytes"] as const),
];
export const AUDIT_SORTS: readonly AuditSort[] = [
  ...(["id", "-id", "at", "-at", "actor", "-actor", "action", "-action"] as const),
];
export const CHANNEL_SORTS: readonly ChannelSort[] = [
  ...(["name", "-name", "kind", "-kind", "target", "-target", "enabled", "-enabled"] as const),
];
export const COMPARISON_SORTS: readonly ComparisonSort[] = [
  ...(["id", "-id", "label", "-label", "taken_at", "-taken_at"] as const),
];
export const DELIVERY_SORTS: readonly DeliverySort[] = [
  ...(["id", "-id", "channel", "-channel", "state", "-state", "attempts", "-attempts"] as const),
  ...(["due_at", "-due_at", "delivered_at", "-delivered_at"] as const),
];
export const OPERATION_SORTS: readonly OperationSort[] = [
  ...(["id", "-id", "state", "-state", "kind", "-kind"] as const),
  ...(["started_at", "-started_at", "finished_at", "-finished_at"] as const),
];
export const PLAN_SORTS: readonly PlanSort[] = [
  ...(["id", "-id", "state", "-state", "subject", "-subject", "changes", "-changes"] as const),
];
export const POLICY_SORTS: readonly PolicySort[] = [
  ...(["id", "-id", "law", "-law", "scope", "-scope", "name", "-name"] as const),
  ...(["mode", "-mode", "changed_at", "-changed_at"] as const),
];
export const PROFILING_SORTS: readonly ProfilingSort[] = [
  ...(["id", "-id", "nf_type", "-nf_type", "host", "-host"] as const),
  ...(["state", "-state", "finished_at", "-finished_at"] as const),
];
export const RACE_SORTS: readonly RaceSort[] = ["id", "-id", "state", "-state", "created_at", "-created_at"];
export const RECOMMENDATION_SORTS: readonly RecommendationSort[] = [
  ...(["id", "-id", "state", "-state", "law", "-law", "created_at", "-created_at"] as const),
];
export const RULE_SORTS: readonly RuleSort[] = [
  ...(["kind", "-kind", "title", "-title", "enabled", "-enabled", "severity", "-severity"] as const),
];
export const SESSION_SORTS: readonly SessionSort[] = [
  ...(["id", "-id", "last_used_at", "-last_used_at", "expires_at", "-expires_at"] as const),
];
export const SILENCE_SORTS: readonly SilenceSort[] = ["id", "-id", "until", "-until", "created_by", "-created_by"];
export const STUDY_SORTS: readonly StudySort[] = [
  ...(["id", "-id", "name", "-name", "state", "-state", "finished_at", "-finished_at"] as const),
];
export const TIMELINE_SORTS: readonly TimelineSort[] = [
  ...(["id", "-id", "at", "-at", "actor", "-actor", "action", "-action"] as const),
];
export const TOKEN_SORTS: readonly TokenSort[] = [
  ...(["id", "-id", "name", "-name", "role", "-role"] as const),
  ...(["last_used_at", "-last_used_at", "expires_at", "-expires_at"] as const),
];
export const USER_SORTS: readonly UserSort[] = [
  ...(["username", "-username", "role", "-role", "created_at", "-created_at"] as const),
];
export const WINDOW_SORTS: readonly WindowSort[] = [
  ...(["id", "-id", "host", "-host", "starts_at", "-starts_at"] as const),
  ...(["ends_at", "-ends_at", "created_by", "-created_by"] as const),
];

/** Of an address: undefined for what the server does not sort by, and for a list's own order. */
export function sortIn<S extends string>(raw: unknown, all: readonly S[]): S | undefined {
  return all.find((one) => one === raw);
}
