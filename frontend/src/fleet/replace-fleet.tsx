/** Asks for a re-placement of the whole fleet, as a plan to review. */

import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { useActReason } from "@/app/permission";
import { useLive } from "@/live/store";
import { AskPlan, useAskPlan } from "@/plans/ask-plan";
import { DEFAULT_SOLVING } from "@/plans/solving";

const INTENT = { kind: "replace" } as const;

export function ReplaceFleet(): ReactNode {
  const chains = useLive((state) => state.chains.size);
  const reason = useActReason();
  const ask = useAskPlan(INTENT);
  return (
    <>
      {ask.error && (
        <span className="bad" role="alert">
          {asProblem(ask.error).title}. {asProblem(ask.error).detail}
        </span>
      )}
      <AskPlan
        label="Re-place fleet"
        title="Re-place the fleet"
        intent={INTENT}
        solving={DEFAULT_SOLVING}
        ask={ask}
        reason={reason ?? (chains === 0 ? "No chain is placed: there is nothing to re-place." : null)}
      />
    </>
  );
}
