/** Steps of operations in words. Pure. */

import type { Step } from "@/api/types";

export const STEP_TITLES: Record<Step["name"], string> = {
  check: "Check",
  make: "Make",
  ready: "Ready",
  put: "Put",
  converge: "Converge",
  verify: "Verify",
  measure: "Measure",
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
