/** States with what else decides how they read: a paused chain, a plan that waits for a model. Pure. */

import type {
  ChainView,
  JobState,
  NfView,
  Operation,
  OperationState,
  PlanBrief,
  PlanState,
  PlanWait,
  ProfilingJob,
  ProfilingPoint,
  Study,
  StudyState,
} from "@/api/types";
import { CHAIN, JOB, look, NF, OPERATION, PLAN, POINT, STUDY, type StateLook } from "./table";

const PAUSED = look("paused", "idle");

export function chainLook({ spec, state, placement }: ChainView): StateLook {
  if (spec.paused && state === "running") return PAUSED;
  // What it runs already is not placed but changed.
  return state === "applying" && placement.length > 0 ? { ...CHAIN.applying, words: "being changed" } : CHAIN[state];
}

/** Where an NF was found, and whether it runs. */
export function nfLook({ actual_core, seat, state, paused }: NfView): StateLook {
  if (actual_core !== null && actual_core !== seat.core) return look(`found on core ${actual_core}`, "warn", "warn");
  if (!state) return look("not reported");
  return paused && state === "running" ? PAUSED : NF[state];
}

/** `study`: it was made to look at; "proposed" would promise that it can be applied. `waits`: nobody makes it yet. */
export function planLook(plan: { state: PlanState; source?: PlanBrief["source"]; waits?: PlanWait | null }): StateLook {
  const { state, source = "fleet", waits } = plan;
  if (state === "planning" && waits) return { ...look("waits for a model", "stale"), why: waits.reason };
  if (source === "fleet" || state !== "proposed") return PLAN[state];
  return { ...PLAN.proposed, words: source === "file" ? "study" : "preview" };
}

/** Of an operation, or of its work on one host. */
type WithState = Pick<Operation, "state" | "waits_for_host">;

/** Stopped for want of the host, nobody needs to act. */
export function operationLook({ state, waits_for_host }: WithState): StateLook {
  const own = OPERATION[state];
  return waits_for_host ? { ...own, words: "stopped, continues when the host is back" } : own;
}

/** Nothing goes on until somebody decides. */
export function waitsForYou({ state, waits_for_host }: WithState): boolean {
  return state === "FAILED_TEMP" && !waits_for_host;
}

export function operationEnded(state: OperationState): boolean {
  return state === "COMPLETED" || state === "FAILED" || state === "CANCELLED" || state === "ROLLED_BACK";
}

/** Completed with points of which nothing is known is completed in part. */
export function jobLook(job: Pick<ProfilingJob, "state" | "failed" | "not_measurable">): StateLook {
  const partly = job.state === "COMPLETED" && job.failed + (job.not_measurable ?? 0) > 0;
  return partly ? look("completed in part", "warn", "warn") : JOB[job.state];
}

export function jobEnded(state: JobState): boolean {
  return state === "COMPLETED" || state === "FAILED" || state === "CANCELLED";
}

/** A point that an earlier job measured is known. */
export function pointLook({ state, reused }: Pick<ProfilingPoint, "state" | "reused">): StateLook {
  return reused ? { ...POINT[state], words: "known" } : POINT[state];
}

export function studyLook({ state, cancel_requested }: Pick<Study, "state" | "cancel_requested">): StateLook {
  const stopping = cancel_requested && !studyEnded(state);
  return stopping ? { ...STUDY[state], words: "is being cancelled" } : STUDY[state];
}

export function studyEnded(state: StudyState): boolean {
  return state !== "queued" && state !== "running";
}
