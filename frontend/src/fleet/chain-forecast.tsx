/** Beside a pinned core: what the plan its host runs by predicts of its chain, and what came of it. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { HostView, NfView } from "@/api/types";
import { predictorName } from "@/trust/words";
import { Figure, Mark } from "@/ui/marks";
import { Difference } from "./prediction-cells";
import { differenceMpps, whyNotCompared } from "./prediction-words";
import { inForce, originOf } from "./predictions";
import { usePredictions } from "./use-predictions";

export function ChainForecast({ nf, host }: { nf: NfView; host: HostView }): ReactNode {
  const { forecasts, problem } = usePredictions(true, host.host_id);
  if (problem) return <p className="t2">Predictions: {problem.title}.</p>;
  const forecast = inForce(host, forecasts);
  if (forecast === undefined) return null;
  const standing = forecast?.chains.get(nf.chain);
  if (!forecast || !standing) {
    return (
      <p className="t2">
        <Mark origin="predicted" />
        Nothing is predicted of {nf.chain} as it stands: no model holds, a chain here is paused, or the host was ordered
        otherwise since.
      </p>
    );
  }
  const why = whyNotCompared(standing);
  return (
    <dl className="facts" aria-label={`Prediction of ${nf.chain}`}>
      <dt>Predicted</dt>
      <dd>
        <Figure
          origin={originOf(standing)}
          value={standing.predicted_mpps}
          unit="Mpps"
          low={standing.low_mpps}
          high={standing.high_mpps}
        />{" "}
        <span className="t3">
          {predictorName(forecast.predictor)},{" "}
          <Link to="/plans/$planId" params={{ planId: String(forecast.planId) }}>
            plan {forecast.planId}
          </Link>
        </span>
      </dd>
      <dt>Carries</dt>
      <dd>
        <Figure origin={host.provenance} value={standing.measured_mpps} unit="Mpps" />{" "}
        <span className="t3">last 10 s</span>
      </dd>
      <dt>Difference</dt>
      <dd>
        {why ? (
          <span className="t2">{why}</span>
        ) : (
          <>
            <Difference standing={standing} /> % <span className="t3">({differenceMpps(standing)} Mpps)</span>
          </>
        )}
      </dd>
    </dl>
  );
}
