/** How far predictions of an NF type are to be trusted on a host model: the meters, and the outcomes they rest on. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { outcomesQuery, trustQuery } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { OutcomesTable } from "@/trust/outcomes-table";
import { TrustMeter } from "@/trust/trust-meter";
import { byWeight } from "@/trust/words";
import { CopyButton } from "@/ui/copy-button";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";

interface Where {
  readonly nfType: string;
  readonly hostModel: string;
}

export function TrustSide({ nfType, hostModel }: Where): ReactNode {
  const trust = useQuery(trustQuery(nfType));
  const { outcomes } = useOutcomes({ nfType, hostModel });
  const meters = byWeight((trust.data ?? []).filter(({ host_model }) => host_model === hostModel));
  return (
    <Section title="Trust" end={<CopyButton text={cli.trust(nfType)} curl={curls.trust(nfType)} />}>
      {trust.error && <PartProblem problem={asProblem(trust.error)} />}
      {meters.map((meter) => (
        <TrustMeter key={`${meter.predictor} ${meter.version}`} trust={meter} outcomes={outcomes} />
      ))}
      {trust.data && meters.length === 0 && (
        <p className="section-body t2">
          No data yet: no model of this NF type is in use here, and no chain with it has been measured after a plan.
        </p>
      )}
    </Section>
  );
}

export function Outcomes({ nfType, hostModel }: Where): ReactNode {
  const { outcomes, error } = useOutcomes({ nfType, hostModel });
  return (
    <Section
      title="Outcomes"
      note="predicted before a plan was applied, measured after it; chains in which it was the predicted or measured bottleneck"
      end={<CopyButton text={cli.outcomes(nfType)} curl={curls.outcomes(nfType)} />}
    >
      {error && <PartProblem problem={asProblem(error)} />}
      {outcomes.length > 0 ? (
        <OutcomesTable outcomes={outcomes} size={6} />
      ) : (
        <p className="section-body t2">
          None. After a plan is applied and the load of its chains is steady, each chain is measured for at least ten
          seconds.
        </p>
      )}
    </Section>
  );
}

function useOutcomes({ nfType, hostModel }: Where) {
  const { data, error } = useQuery(outcomesQuery(nfType));
  return { outcomes: (data?.items ?? []).filter(({ host_model }) => host_model === hostModel), error };
}
