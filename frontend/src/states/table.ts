/** Every state as people read it, in one table for all pages, the palette and the fleet: words, colour and mark. Pure. */

import type {
  ChainView,
  JobState,
  ModelVersion,
  NfView,
  OperationState,
  PlanState,
  PointState,
  RaceState,
  Recommendation,
  Step,
  StudyState,
} from "@/api/types";
import type { ShapeName } from "@/ui/marks";

/** A colour's role (styles/base.css); null for that of ordinary text. */
export type Tone = "bad" | "warn" | "t2" | "t3";

export interface StateLook {
  readonly words: string;
  readonly shape: ShapeName | null;
  readonly tone: Tone | null;
  /** What stands in the tooltip. */
  readonly why?: string;
}

type Looks<State extends string> = Readonly<Record<State, StateLook>>;

export function look(words: string, shape: ShapeName | null = null, tone: Tone | null = null): StateLook {
  return { words, shape, tone };
}

export const CHAIN: Looks<ChainView["state"]> = {
  submitted: look("not placed", "idle"),
  applying: look("being placed", "running"),
  running: look("runs"),
  removing: look("being removed", "running"),
};

export const NF: Looks<NonNullable<NfView["state"]>> = {
  starting: look("starting"),
  running: look("running"),
  crashed: look("crashed", "bad", "bad"),
  stopping: look("stopping"),
};

export const PLAN: Looks<PlanState> = {
  planning: look("being made", "running"),
  proposed: look("proposed"),
  applying: look("being applied", "running"),
  applied: look("applied", "ok"),
  superseded: look("superseded", "warn", "warn"),
  rejected: look("rejected", "idle"),
  failed: look("failed", "bad", "bad"),
};

export const OPERATION: Looks<OperationState> = {
  QUEUED: look("queued", "running"),
  STARTING: look("starting", "running"),
  PROCESSING: look("running", "running"),
  PAUSED: look("waiting for the next attempt", "idle"),
  COMPLETED: look("completed", "ok"),
  FAILED_TEMP: look("stopped, needs attention", "bad", "bad"),
  FAILED: look("failed", "bad", "bad"),
  CANCELLED: look("cancelled", "idle"),
  ROLLING_BACK: look("rolling back", "running"),
  ROLLED_BACK: look("rolled back", "idle"),
};

export const STEP: Looks<Step["state"]> = {
  waiting: look("waits"),
  running: look("running"),
  done: look("done", "ok"),
  failed: look("failed", "bad"),
  undoing: look("undoing"),
  undone: look("undone"),
  skipped: look("skipped"),
};

export const JOB: Looks<JobState> = {
  QUEUED: look("queued", "running"),
  PROCESSING: look("measuring", "running"),
  PAUSED: look("paused", "warn", "warn"),
  COMPLETED: look("completed", "ok"),
  FAILED: look("failed", "bad", "bad"),
  CANCELLED: look("cancelled", "idle"),
};

export const POINT: Looks<PointState> = {
  waiting: look("waits", null, "t3"),
  running: look("measuring", "running"),
  done: look("measured"),
  not_measurable: look("not measurable", "idle"),
  failed: look("failed", "bad", "bad"),
  skipped: look("skipped", "idle", "t3"),
};

export const STUDY: Looks<StudyState> = {
  queued: look("queued", "running"),
  running: look("running", "running"),
  done: look("done", "ok"),
  failed: look("failed", "bad", "bad"),
  refused: look("refused", "bad", "bad"),
  cancelled: look("cancelled", "idle"),
};

export function isPlanState(text: unknown): text is PlanState {
  return typeof text === "string" && Object.hasOwn(PLAN, text);
}

export function isOperationState(text: unknown): text is OperationState {
  return typeof text === "string" && Object.hasOwn(OPERATION, text);
}

export const STUDY_STATES = Object.keys(STUDY) as StudyState[];

export function isStudyState(text: unknown): text is StudyState {
  return typeof text === "string" && Object.hasOwn(STUDY, text);
}

export const MODEL: Looks<ModelVersion["state"]> = {
  candidate: look("candidate", "idle"),
  promoted: look("promoted", "ok"),
  retired: look("retired"),
  refused: look("refused", "bad", "bad"),
};

export const RACE: Looks<RaceState> = {
  planning: look("planning", "running"),
  measuring: look("not measured yet", "idle", "t2"),
  scored: look("scored", "ok"),
  ended: look("not scored", "stale", "t3"),
};

export const RECOMMENDATION: Looks<Recommendation["state"]> = {
  open: look("open", "idle"),
  accepted: look("accepted", "ok"),
  dismissed: look("dismissed", null, "t2"),
  withdrawn: look("withdrawn", null, "t3"),
};

export const RECOMMENDATION_STATES = Object.keys(RECOMMENDATION) as Recommendation["state"][];

export function isRecommendationState(text: unknown): text is Recommendation["state"] {
  return typeof text === "string" && Object.hasOwn(RECOMMENDATION, text);
}
