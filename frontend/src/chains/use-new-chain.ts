/** What the chain on the page would do: asked for once typing has paused, the former request aborted, the last answer
 *  kept while the next is under way. */

import { useQuery } from "@tanstack/react-query";
import { newChainQuery } from "@/api/prediction-queries";
import { asProblem } from "@/api/problem";
import type { ChainSpec, FieldError, NewChainPrediction, Problem } from "@/api/types";
import { useSettled } from "@/lib/use-settled";
import { check, type Draft, withoutSecrets } from "./draft";
import { runsOf } from "./draft-path";

/** A chain is drawn before it is named; the name decides nothing of its placement. */
export const UNNAMED = "chain-without-a-name";

export interface Foresight {
  /** It stands on several hosts, and one host's chains are predicted. */
  readonly several: boolean;
  /** What is wrong with the draft, so that nothing can be asked. */
  readonly errors: readonly FieldError[];
  /** The newest answer; undefined before the first. */
  readonly answer: NewChainPrediction | undefined;
  /** It is of a former state of the draft: the answer to this one is under way, or cannot be had. */
  readonly stale: boolean;
  readonly problem: Problem | null;
}

export function useNewChain(draft: Draft): Foresight {
  const { spec, errors } = asked(draft);
  const several = runsOf(draft).length > 1;
  const now = spec === null ? null : JSON.stringify(spec);
  const settled = useSettled(now);
  const query = useQuery(newChainQuery(settled === null ? null : (JSON.parse(settled) as ChainSpec)));
  return {
    several,
    errors,
    answer: query.data ?? undefined,
    stale: now !== settled || query.isPlaceholderData || query.isError,
    problem: query.error && now === settled ? asProblem(query.error) : null,
  };
}

/** What is asked of a draft, without its secrets: they decide nothing of its placement. Nothing of one on several hosts. */
export function asked(draft: Draft): { spec: ChainSpec | null; errors: readonly FieldError[] } {
  if (draft.nfs.length === 0) return { spec: null, errors: [] };
  const named = draft.name.trim() === "" ? { ...draft, name: UNNAMED } : draft;
  const { spec, parts, errors } = check(withoutSecrets(named));
  return { spec: parts.length > 0 ? null : spec, errors };
}
