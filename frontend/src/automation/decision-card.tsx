/** What a law recommends on a host, with the facts that it goes by; accepted or dismissed here. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { acceptRecommendation, dismissRecommendation } from "@/api/actions";
import { asProblem } from "@/api/problem";
import type { Recommendation } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";

/** `because`: shown where somebody asks why. `children`: terms and what they say. */
export function DecisionCard(props: {
  recommendation: Recommendation;
  headline: string;
  because: ReactNode;
  children: ReactNode;
}): ReactNode {
  const { recommendation: one, headline, because, children } = props;
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
      <h3>{headline}</h3>
      <dl className="facts">
        {children}
        {why && (
          <>
            <dt>Why</dt>
            <dd>{because}</dd>
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
