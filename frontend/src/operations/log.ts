/** What happened in an operation, in the order in which it did: made of its steps. Pure. */

import type { Operation, Step } from "@/api/types";
import { STEP } from "@/states/table";
import { STEP_TITLES } from "./words";

export interface LogLine {
  readonly key: string;
  readonly at: string;
  /** The host and the step; null for what the operation did as a whole. */
  readonly where: { readonly host: string; readonly step: string } | null;
  readonly words: string;
  readonly bad: boolean;
}

/** Of hosts that changed at one moment, in the operation's order. Steps that wait say nothing yet. */
export function logOf(operation: Operation): LogLine[] {
  const whole = (key: string, at: string | null | undefined, words: string, bad = false): LogLine[] =>
    at ? [{ key, at, where: null, words, bad }] : [];
  const steps = operation.hosts.flatMap(({ host, steps }) => steps.flatMap((step) => lineOf(host, step) ?? []));
  const lines = [
    ...whole("asked", operation.created_at, `asked for by ${operation.requested_by}`),
    ...whole("started", operation.started_at, "started"),
    ...steps,
    ...whole(
      "ended",
      operation.finished_at,
      operation.state.toLowerCase().replaceAll("_", " "),
      operation.error !== null,
    ),
  ];
  return lines.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

/** A step that has ended says what came of it then; one that runs says so since when. */
function lineOf(host: string, step: Step): LogLine | null {
  const at = step.finished_at ?? step.started_at;
  if (!at) return null;
  const tries = step.attempts > 1 ? `, try ${step.attempts}` : "";
  const said = step.error ? step.error.title : step.detail;
  return {
    key: `${host} ${step.name}`,
    at,
    where: { host, step: STEP_TITLES[step.name] },
    words: `${STEP[step.state].words}${tries}${said ? `: ${said}` : ""}`,
    bad: step.state === "failed",
  };
}
