/** On the page of a plan that was recommended: what it was to gain, and what it has gained by measurement. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { recommendationOfQuery } from "@/api/recommendation-queries";
import type { Plan, Recommendation } from "@/api/types";
import { Section } from "@/ui/section";
import { PredictedGain } from "./predicted-gain";
import { gainedText, gainText, measuredGain, restoresText } from "./words";

export function Recommended({ plan }: { plan: Plan }): ReactNode {
  const { data } = useQuery({ ...recommendationOfQuery(plan.id), enabled: plan.created_by === "system" });
  return data ? <RecommendedSection recommendation={data} /> : null;
}

export function RecommendedSection({ recommendation: one }: { recommendation: Recommendation }): ReactNode {
  const measured = measuredGain(one);
  return (
    <Section title="Recommended" note={one.state} padded>
      <dl className="facts">
        <dt>Predicted</dt>
        <dd>
          <PredictedGain of={one} />
        </dd>
        <dt>Measured</dt>
        <dd>
          {measured ? <b className="strong">{gainText(measured)}</b> : <span className="t2">{gainedText(one)}</span>}
        </dd>
        {one.because && (
          <>
            <dt>Because</dt>
            <dd>{one.because}</dd>
          </>
        )}
        <dt>Restores</dt>
        <dd>{restoresText(one)}</dd>
        {one.reason && (
          <>
            <dt>Withdrawn</dt>
            <dd>{one.reason}</dd>
          </>
        )}
      </dl>
    </Section>
  );
}
