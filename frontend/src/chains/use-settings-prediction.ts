/** What the settings in the adjust panel would do: asked for once typing has paused, the former request aborted, the
 *  last answer kept while the next is under way. */

import { useQuery } from "@tanstack/react-query";
import { settingsPredictionQuery } from "@/api/prediction-queries";
import { asProblem } from "@/api/problem";
import type { ChainChange, Problem, SettingsPrediction } from "@/api/types";
import { useSettled } from "@/lib/use-settled";

export interface SettingsForesight {
  /** The newest answer; undefined before the first. */
  readonly answer: SettingsPrediction | undefined;
  /** It is of former settings: the answer to these is under way, or cannot be had. */
  readonly stale: boolean;
  readonly problem: Problem | null;
}

/** `change`: null where nothing is changed, or something is wrong. */
export function useSettingsPrediction(name: string, change: ChainChange | null): SettingsForesight {
  const now = change === null ? null : JSON.stringify(change);
  const settled = useSettled(now);
  const asked = settled === null ? null : (JSON.parse(settled) as ChainChange);
  const query = useQuery(settingsPredictionQuery(name, asked));
  return {
    answer: query.data ?? undefined,
    stale: now !== settled || query.isPlaceholderData || query.isError,
    problem: query.error && now !== null && now === settled ? asProblem(query.error) : null,
  };
}
