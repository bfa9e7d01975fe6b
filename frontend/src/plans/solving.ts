/** How a plan shall be found, as a form's texts and as the API's value. Pure. */

import type { Solving } from "@/api/types";
import { algorithmText, isAlgorithm } from "./algorithms";

export const MAX_TIME_LIMIT_S = 600;
const MAX_MOVES = 1_000_000;

export interface SolvingDraft {
  readonly algorithm: string;
  readonly timeLimit: string;
  /** Empty: as many moves as pay. */
  readonly maxMoves: string;
}

export type SolvingErrors = Partial<Record<"time_limit_s" | "max_moves", string>>;

export function draftOf(solving: Solving): SolvingDraft {
  return {
    algorithm: algorithmText(solving.algorithm),
    timeLimit: String(solving.time_limit_s),
    maxMoves: solving.max_moves == null ? "" : String(solving.max_moves),
  };
}

/** Seconds as typed, or what is wrong with them. */
export function readTimeLimit(text: string): { value: number } | { error: string } {
  const value = Number(text.replace(",", "."));
  if (text.trim() === "" || !Number.isFinite(value)) return { error: "a number of seconds" };
  if (value < 0 || value > MAX_TIME_LIMIT_S) return { error: `0 to ${MAX_TIME_LIMIT_S}` };
  return { value };
}

/** The value that the form stands for; `seed` is kept, because a form does not show it. */
export function readSolving(draft: SolvingDraft, seed = 0): { solving: Solving | null; errors: SolvingErrors } {
  const errors: SolvingErrors = {};
  const limit = readTimeLimit(draft.timeLimit);
  if ("error" in limit) errors.time_limit_s = limit.error;
  const text = draft.maxMoves.trim();
  const moves = text === "" ? null : Number(text);
  if (moves !== null && !(Number.isInteger(moves) && moves >= 0 && moves <= MAX_MOVES)) {
    errors.max_moves = "a whole number, or empty for no limit";
  }
  if (Object.keys(errors).length > 0 || "error" in limit) return { solving: null, errors };
  const algorithm = isAlgorithm(draft.algorithm) ? draft.algorithm : null;
  return { solving: { algorithm, time_limit_s: limit.value, seed, max_moves: moves }, errors };
}

/** "automatic, 10 s", "exact, 60 s, at most 3 moves". */
export function solvingText(solving: Solving): string {
  const moves = solving.max_moves;
  const most = moves == null ? "" : `, at most ${moves} ${moves === 1 ? "move" : "moves"}`;
  return `${algorithmText(solving.algorithm)}, ${solving.time_limit_s} s${most}`;
}
