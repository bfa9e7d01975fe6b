/** States of models in words, each with its shape; "assumed" where there is none. */

import type { ReactNode } from "react";
import type { ModelVersion } from "@/api/types";
import { ModelText } from "@/states/model-text";
import { Mark, Shape } from "@/ui/marks";
import type { Standing } from "./standing";

export function StandingText({ standing: { promoted, candidate } }: { standing: Standing }): ReactNode {
  return (
    <>
      {promoted ? <ModelText model={promoted} /> : <Assumed />}
      {candidate && (
        <div className="t2 nowrap">
          <Shape name="idle" />
          fit {candidate.fit_id} {candidate.stale ? "was a candidate, and is stale" : "ready to be promoted"}
        </div>
      )}
    </>
  );
}

function Assumed(): ReactNode {
  return (
    <span className="t2 nowrap">
      <Mark origin="assumed" why="never profiled on this host model, or no model of it is promoted" />
      assumed
    </span>
  );
}

/** How a model was made, in words. */
export const METHODS: Readonly<Record<ModelVersion["method"], string>> = {
  constrained: "constrained least squares",
  lms: "least mean squares",
  "one-node": "one node: γ f + c",
  solo: "measured solo, drops assumed",
};
