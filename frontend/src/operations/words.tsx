/** Operations in words: plain words first, the wire's name in mono after them where it is another, for searching. */

import type { ReactNode } from "react";
import type { OperationState, Step } from "@/api/types";
import { Shape, type ShapeName } from "@/ui/marks";

const STATES: Record<OperationState, { shape: ShapeName | null; words: string }> = {
  QUEUED: { shape: "running", words: "queued" },
  STARTING: { shape: "running", words: "starting" },
  PROCESSING: { shape: "running", words: "running" },
  PAUSED: { shape: "idle", words: "waits for its next try" },
  COMPLETED: { shape: "ok", words: "completed" },
  FAILED_TEMP: { shape: "bad", words: "stopped, needs attention" },
  FAILED: { shape: "bad", words: "failed" },
  CANCELLED: { shape: "idle", words: "cancelled" },
  ROLLING_BACK: { shape: "running", words: "rolling back" },
  ROLLED_BACK: { shape: "idle", words: "rolled back" },
};

/** Stopped for want of the host: nobody needs to act. */
const WAITS_FOR_HOST = "stopped, goes on when the host is back";

/** Of an operation, or of its work on one host. */
interface Standing {
  readonly state: OperationState;
  readonly waits_for_host: boolean;
}

export function stateWords({ state, waits_for_host }: Standing): string {
  return waits_for_host ? WAITS_FOR_HOST : STATES[state].words;
}

/** Nothing goes on until somebody decides. */
export function waitsForYou({ state, waits_for_host }: Standing): boolean {
  return state === "FAILED_TEMP" && !waits_for_host;
}

export function isFinal(state: OperationState): boolean {
  return state === "COMPLETED" || state === "FAILED" || state === "CANCELLED" || state === "ROLLED_BACK";
}

export function OperationStateText({ of, wire = true }: { of: Standing; wire?: boolean }): ReactNode {
  const { state } = of;
  const { shape } = STATES[state];
  return (
    <span className={`nowrap ${shape === "bad" ? "bad" : ""}`}>
      {shape && <Shape name={shape} />}
      {stateWords(of)} {wire && <WireName state={state} words={stateWords(of)} />}
    </span>
  );
}

/** The wire's name, where it says another word than stands before it. */
export function WireName({ state, words }: { state: string; words: string }): ReactNode {
  if (state.toLowerCase().replaceAll("_", " ") === words) return null;
  return <span className="mono t3">{state}</span>;
}

export const STEP_TITLES: Record<Step["name"], string> = {
  check: "Check",
  put: "Put",
  converge: "Converge",
  verify: "Verify",
};

/** How long a step took or has been running, in seconds; null where it has not started. */
export function stepSeconds(step: Step, nowMs: number): number | null {
  if (!step.started_at) return null;
  const end = step.finished_at ? Date.parse(step.finished_at) : nowMs;
  return Math.max(0, (end - Date.parse(step.started_at)) / 1000);
}

export interface StepCounts {
  readonly done: number;
  readonly running: number;
  readonly failed: number;
  readonly waiting: number;
}

export function countSteps(steps: readonly Step[]): StepCounts {
  const of = (...states: Step["state"][]) => steps.filter((step) => states.includes(step.state)).length;
  return {
    done: of("done", "undone", "skipped"),
    running: of("running", "undoing"),
    failed: of("failed"),
    waiting: of("waiting"),
  };
}
