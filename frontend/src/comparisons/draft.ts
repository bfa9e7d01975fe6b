/** A comparison as the form holds it, as the API takes it, and as a command. Pure. */

import type { ComparisonRequest } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import type { Algorithm } from "@/api/types";
import { ALGORITHMS } from "@/plans/algorithms";
import { readTimeLimit } from "@/plans/solving";
import { shellWord } from "@/session/shell-word";
import type { SnapshotFile } from "./snapshot-file";

export interface CompareDraft {
  readonly intent: "replace" | "place";
  readonly chain: string;
  readonly algorithms: ReadonlySet<Algorithm>;
  readonly timeLimit: string;
  readonly source: "fleet" | "file";
  readonly file: SnapshotFile | null;
}

/** The proved optimum, the paper, and the plainest: what one wants to know first. */
export const EMPTY_COMPARISON: CompareDraft = {
  intent: "replace",
  chain: "",
  algorithms: new Set(["exact", "octans", "node_first"]),
  timeLimit: String(DEFAULT_SOLVING.time_limit_s),
  source: "fleet",
  file: null,
};

export type CompareErrors = Partial<Record<"intent.chain" | "algorithms" | "time_limit_s" | "snapshot", string>>;

/** `chains`: what the snapshot has that can be placed. */
export function readComparison(
  draft: CompareDraft,
  chains: readonly string[],
): { request: ComparisonRequest | null; errors: CompareErrors } {
  const errors: CompareErrors = {};
  const limit = readTimeLimit(draft.timeLimit);
  if ("error" in limit) errors.time_limit_s = limit.error;
  if (draft.algorithms.size === 0) errors.algorithms = "choose at least one";
  if (draft.source === "file" && !draft.file) errors.snapshot = "choose a file, or use the present fleet";
  if (draft.intent === "place" && !chains.includes(draft.chain)) {
    errors["intent.chain"] = chains.length === 0 ? "every chain is placed already" : "choose the chain to place";
  }
  if ("error" in limit || Object.keys(errors).length > 0) return { request: null, errors };
  const file = draft.source === "file" ? draft.file : null;
  return {
    request: {
      intent:
        draft.intent === "place" ? { kind: "place", chain: draft.chain } : { kind: "replace", host: null, keep: [] },
      algorithms: inOrder(draft.algorithms),
      timeLimitS: limit.value,
      label: file?.name.slice(0, 120) ?? null,
      snapshot: file?.value ?? null,
    },
    errors,
  };
}

/** As they are offered, whatever the order of the clicks. */
export function inOrder(chosen: ReadonlySet<Algorithm>): Algorithm[] {
  return ALGORITHMS.map(({ key }) => key).filter((key) => chosen.has(key));
}

/** Options of `sextant compare`; a file is named as it is here. */
export function compareOptions(request: ComparisonRequest): string {
  const { intent, algorithms, timeLimitS, label, snapshot } = request;
  return [
    intent.kind === "place" ? ` --chain ${intent.chain}` : "",
    ` --algorithms ${algorithms.join(",")}`,
    timeLimitS === DEFAULT_SOLVING.time_limit_s ? "" : ` --time-limit ${timeLimitS}`,
    snapshot ? ` --snapshot ${shellWord(label ?? "fleet.json")}` : "",
  ].join("");
}
