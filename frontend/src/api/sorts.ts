/** What lists that come page by page can be sorted by: the server sorts them, since no page holds all rows. */

import type { operations } from "./schema.gen";

type SortOf<Name extends "listOperations" | "listPlans"> = NonNullable<
  NonNullable<operations[Name]["parameters"]["query"]>["sort"]
>;
export type OperationSort = SortOf<"listOperations">;
export type PlanSort = SortOf<"listPlans">;

export const OPERATION_SORTS: readonly OperationSort[] = [
  ...(["id", "-id", "state", "-state", "kind", "-kind"] as const),
  ...(["started_at", "-started_at", "finished_at", "-finished_at"] as const),
];
export const PLAN_SORTS: readonly PlanSort[] = [
  ...(["id", "-id", "state", "-state", "subject", "-subject", "changes", "-changes"] as const),
];
