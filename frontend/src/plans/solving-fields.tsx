/** Algorithm, time limit and most moves. */

import type { ReactNode } from "react";
import { Field } from "@/ui/field";
import { Picker } from "@/ui/select";
import { ALGORITHM_CHOICES, BY_PREDICTION, movesOnlyIfAsked } from "./algorithms";
import type { SolvingDraft } from "./solving";

export function SolvingFields(props: {
  draft: SolvingDraft;
  set: (part: Partial<SolvingDraft>) => void;
  /** What is wrong with a field, by its name in the API. */
  message: (field: string) => string | undefined;
}): ReactNode {
  const { draft, set, message } = props;
  return (
    <>
      <div className="fields">
        <Picker
          label="Algorithm"
          value={draft.algorithm}
          choices={ALGORITHM_CHOICES}
          onChange={(algorithm) => set({ algorithm })}
        />
        {message("algorithm") && <p className="bad">{message("algorithm")}</p>}
        <Field
          label="Time limit"
          value={draft.timeLimit}
          onChange={(timeLimit) => set({ timeLimit })}
          unit="s"
          inputMode="decimal"
          error={message("time_limit_s")}
          hint="then the best plan found so far is proposed"
        />
        <Field
          label="Most moves"
          value={draft.maxMoves}
          onChange={(maxMoves) => set({ maxMoves })}
          unit="running NFs"
          inputMode="numeric"
          error={message("max_moves")}
          hint={movesOnlyIfAsked(draft.algorithm) ? "empty: those that run stay" : "empty: no limit"}
        />
      </div>
      <p className="t3">{BY_PREDICTION}</p>
    </>
  );
}
