/** What the law recommends on a host: what, gain, what it is expected to cost and what of that is assumed. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { numasfpParametersQuery } from "@/api/numasfp-queries";
import type { NumasfpHost, Recommendation } from "@/api/types";
import { DecisionCard } from "@/automation/decision-card";
import { PredictedGain } from "@/recommendations/predicted-gain";
import { isHandOver, restoresText, trustText } from "@/recommendations/words";
import { expectedCost, headline } from "./words";

export function LawCard({
  recommendation: one,
  host,
}: {
  recommendation: Recommendation;
  host: NumasfpHost;
}): ReactNode {
  const known = useQuery(numasfpParametersQuery).data;
  return (
    <DecisionCard
      recommendation={one}
      headline={headline(one, host)}
      because={
        <>
          {one.because ?? host.reason}
          <br />
          <span className="t2">Levels: {trustText(one)}</span>
        </>
      }
    >
      {!isHandOver(one) && (
        <>
          <dt>Gain</dt>
          <dd>
            <PredictedGain of={one} /> <span className="t2">by the levels, on forecast rates</span>
          </dd>
        </>
      )}
      <dt>Expected to cost</dt>
      <dd>{expectedCost(one, host, known?.parameters.least_loss)}</dd>
      <dt>Restores</dt>
      <dd>{restoresText(one)}</dd>
    </DecisionCard>
  );
}
