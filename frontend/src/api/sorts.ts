/** What lists that come page by page can be sorted by: the server sorts them, since no page holds all rows. */

import type { operations } from "./schema.gen";

type Sorted =
  | "listAlerts"
  | "listArtefacts"
  | "listAudit"
  | "listOperations"
  | "listPlans"
  | "listProfilingJobs"
  | "listSessions"
  | "listStudies"
  | "listTokens"
  | "listUsers";
type SortOf<Name extends Sorted> = NonNullable<NonNullable<operations[Name]["parameters"]["query"]>["sort"]>;
export type AlertSort = SortOf<"listAlerts">;
export type ArtefactSort = SortOf<"listArtefacts">;
export type AuditSort = SortOf<"listAudit">;
export type OperationSort = SortOf<"listOperations">;
export type PlanSort = SortOf<"listPlans">;
export type ProfilingSort = SortOf<"listProfilingJobs">;
export type SessionSort = SortOf<"listSessions">;
export type StudySort = SortOf<"listStudies">;
export type TokenSort = SortOf<"listTokens">;
export type UserSort = SortOf<"listUsers">;

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
export const OPERATION_SORTS: readonly OperationSort[] = [
  ...(["id", "-id", "state", "-state", "kind", "-kind"] as const),
  ...(["started_at", "-started_at", "finished_at", "-finished_at"] as const),
];
export const PLAN_SORTS: readonly PlanSort[] = [
  ...(["id", "-id", "state", "-state", "subject", "-subject", "changes", "-changes"] as const),
];
export const PROFILING_SORTS: readonly ProfilingSort[] = [
  ...(["id", "-id", "nf_type", "-nf_type", "host", "-host"] as const),
  ...(["state", "-state", "finished_at", "-finished_at"] as const),
];
export const SESSION_SORTS: readonly SessionSort[] = [
  ...(["id", "-id", "last_used_at", "-last_used_at", "expires_at", "-expires_at"] as const),
];
export const STUDY_SORTS: readonly StudySort[] = [
  ...(["id", "-id", "name", "-name", "state", "-state", "finished_at", "-finished_at"] as const),
];
export const TOKEN_SORTS: readonly TokenSort[] = [
  ...(["id", "-id", "name", "-name", "role", "-role"] as const),
  ...(["last_used_at", "-last_used_at", "expires_at", "-expires_at"] as const),
];
export const USER_SORTS: readonly UserSort[] = [
  ...(["username", "-username", "role", "-role", "created_at", "-created_at"] as const),
];

/** Of an address: undefined for what the server does not sort by, and for a list's own order. */
export function sortIn<S extends string>(raw: unknown, all: readonly S[]): S | undefined {
  return all.find((one) => one === raw);
}
