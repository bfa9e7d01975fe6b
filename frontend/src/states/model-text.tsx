/** The state of a model version: "promoted, fit 7"; a stale one says so before anything else. */

import type { ReactNode } from "react";
import type { ModelVersion } from "@/api/types";
import { StateText } from "./state-text";
import { look, MODEL } from "./table";

export function ModelText({ model }: { model: ModelVersion }): ReactNode {
  const { state, stale, fit_id } = model;
  if (stale) {
    return (
      <StateText look={{ ...look("stale", "stale", "warn"), why: stale }}>
        <span className="t2">
          , {MODEL[state].words} of fit {fit_id}
        </span>
      </StateText>
    );
  }
  return (
    <StateText look={MODEL[state]}>
      <span className="t3">, fit {fit_id}</span>
    </StateText>
  );
}
