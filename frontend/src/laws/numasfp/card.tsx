/** What the law recommends on a host: what, gain, what it is expected to cost and what of that is assumed; accept or not. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { acceptRecommendation, dismissRecommendation } from "@/api/actions";
import { numasfpParametersQuery } from "@/api/numasfp-queries";
import { asProblem } from "@/api/problem";
import type { NumasfpHost, Recommendation } from "@/api/types";
import { PredictedGain } from "@/recommendations/predicted-gain";
import { isHandOver, restoresText, trustText } from "@/recommendations/words";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { expectedCost, headline } from "./words";

export function LawCard({
  recommendation: one,
  host,
}: {
  recommendation: Recommendation;
  host: NumasfpHost;
}): ReactNode {
  const known = useQuery(numasfpParametersQuery).data;
  const [why, setWhy] = useState(false);
  const client = useQueryClient();
  const role = useActReason("recommendations.decide");
  const settled = { onSettled: () => void client.invalidateQueries({ queryKey: ["automation"] }) };
  const accept = useMutation({ mutationFn: () => acceptRecommendation(one.id), ...settled });
  const dismiss = useMutation({ mutationFn: () => dismissRecommendation(one.id), ...settled });
  const busy = accept.isPending || dismiss.isPending ? "Your decision is being sent." : null;
  const problem = accept.error ?? dismiss.error;
  return (
    <section className="law-card" aria-label="Recommendation">
      <h3>{headline(one, host)}</h3>
      <dl className="facts">
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
        {why && (
          <>
            <dt>Why</dt>
            <dd>
              {one.because ?? host.reason}
              <br />
              <span className="t2">Levels: {trustText(one)}</span>
            </dd>
          </>
        )}
      </dl>
      <div className="row-actions">
        <Button look="primary" reason={role ?? busy} onClick={() => accept.mutate()}>
          Accept
        </Button>
        <Button reason={role ?? busy} onClick={() => dismiss.mutate()}>
          Dismiss
        </Button>
        <Button look="quiet" aria-expanded={why} onClick={() => setWhy(!why)}>
          Why
        </Button>
        <Link className="btn" to="/plans/$planId" params={{ planId: String(one.plan_id) }}>
          Review plan {one.plan_id}
        </Link>
        <CopyButton text={cli.acceptRecommendation(one.id)} curl={curls.acceptRecommendation(one.id)} />
      </div>
      {problem && (
        <ProblemNote
          problem={asProblem(problem)}
          onDismiss={() => {
            accept.reset();
            dismiss.reset();
          }}
        />
      )}
    </section>
  );
}
