/** Plans in words: what they are about, how far they are. */

import type { ReactNode } from "react";
import type { Plan, PlanBrief, PlanState, PlanWait } from "@/api/types";
import { Shape, type ShapeName } from "@/ui/marks";

export function subjectOf(plan: Plan): string {
  const { intent } = plan;
  switch (intent.kind) {
    case "place":
      return `Place ${intent.chain}`;
    case "remove":
      return `Remove ${intent.chain}`;
    case "migrate":
      return `Move ${intent.nf_id} to ${intent.host} core ${intent.core}`;
    case "replace":
      return intent.host ? `Re-place ${intent.host}` : "Re-place the fleet";
    case "restore":
      return `Undo operation ${intent.operation_id}`;
    case "adjust":
      return `Adjust ${intent.chain}`;
  }
}

const KINDS: Record<string, string> = {
  place: "Place",
  remove: "Remove",
  migrate: "Move",
  replace: "Re-place",
  adjust: "Adjust",
  restore: "Undo",
};

export function briefSubject(plan: PlanBrief): string {
  return `${KINDS[plan.kind] ?? plan.kind} ${plan.subject}`;
}

const STATES: Record<PlanState, { shape: ShapeName | null; words: string }> = {
  planning: { shape: "running", words: "being made" },
  proposed: { shape: null, words: "proposed" },
  applying: { shape: "running", words: "being applied" },
  applied: { shape: "ok", words: "applied" },
  superseded: { shape: "warn", words: "superseded" },
  rejected: { shape: "idle", words: "rejected" },
  failed: { shape: "bad", words: "failed" },
};

/** `study`: it was made to look at; "proposed" would promise that it can be applied. `waits`: nobody makes it yet. */
export function PlanStateText(props: { state: PlanState; study?: boolean; waits?: PlanWait | null }): ReactNode {
  const { state, study = false, waits } = props;
  if (state === "planning" && waits) {
    return (
      <span className="nowrap" title={waits.reason}>
        <Shape name="stale" />
        waits for a model
      </span>
    );
  }
  const { shape, words } = STATES[state];
  return (
    <span className={`nowrap ${state === "failed" ? "bad" : state === "superseded" ? "warn" : ""}`}>
      {shape && <Shape name={shape} />}
      {study && state === "proposed" ? "study" : words}
    </span>
  );
}
