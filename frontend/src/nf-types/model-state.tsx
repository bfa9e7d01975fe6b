/** States of models in words, each with its shape; "assumed" where there is none. */

import type { ReactNode } from "react";
import type { ModelVersion } from "@/api/types";
import { Mark, Shape } from "@/ui/marks";
import type { Standing } from "./standing";

export function StandingText({ standing: { promoted, candidate } }: { standing: Standing }): ReactNode {
  return (
    <>
      {promoted ? <ModelStateText model={promoted} /> : <Assumed />}
      {candidate && (
        <div className="t2 nowrap">
          <Shape name="idle" />
          fit {candidate.fit_id} {candidate.stale ? "was a candidate, and is stale" : "waits to be promoted"}
        </div>
      )}
    </>
  );
}

function Assumed(): ReactNode {
  return (
    <span className="t2 nowrap">
      <Mark origin="assumed" why="never profiled on this host model, or nothing of it is promoted" />
      assumed
    </span>
  );
}

/** "promoted, fit 7"; a stale one says so before anything else. */
export function ModelStateText({ model }: { model: ModelVersion }): ReactNode {
  if (model.stale) {
    return (
      <span className="warn nowrap" title={model.stale}>
        <Shape name="stale" />
        stale
        <span className="t2">
          , {model.state} of fit {model.fit_id}
        </span>
      </span>
    );
  }
  const shape = { promoted: "ok", candidate: "idle", retired: null, refused: "bad" } as const;
  const mark = shape[model.state];
  return (
    <span className={model.state === "refused" ? "bad nowrap" : "nowrap"}>
      {mark && <Shape name={mark} />}
      {model.state}
      <span className="t3">, fit {model.fit_id}</span>
    </span>
  );
}

/** How a model was made, in words. */
export const METHODS: Readonly<Record<ModelVersion["method"], string>> = {
  constrained: "constrained least squares",
  lms: "least mean squares",
  "one-node": "one node: γ f + c",
  solo: "measured alone, drops assumed",
};
