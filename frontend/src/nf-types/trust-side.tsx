/** How far predictions of an NF type are to be trusted on a host model, and what came of the last ones. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { outcomesQuery, trustQuery } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import { cli } from "@/app/cli";
import { StartProfile } from "@/profiling/start-profile";
import { OutcomesTable } from "@/trust/outcomes-table";
import { TrustMeter } from "@/trust/trust-meter";
import { byWeight } from "@/trust/words";
import { CopyButton } from "@/ui/copy-button";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";

export function TrustSide(props: { nfType: string; hostModel: string; host: string | undefined }): ReactNode {
  const { nfType, hostModel, host } = props;
  const trust = useQuery(trustQuery(nfType));
  const stored = useQuery(outcomesQuery(nfType));
  const meters = byWeight((trust.data ?? []).filter(({ host_model }) => host_model === hostModel));
  const outcomes = (stored.data?.items ?? []).filter(({ host_model }) => host_model === hostModel);
  const error = trust.error ?? stored.error;
  return (
    <>
      <Section title="Trust" note="predicted against measured" end={<CopyButton text={cli.trust(nfType)} />}>
        {error && <PartProblem problem={asProblem(error)} />}
        {meters.map((meter) => (
          <TrustMeter
            key={`${meter.predictor} ${meter.version}`}
            trust={meter}
            outcomes={outcomes.filter(
              ({ predictor, version }) => predictor === meter.predictor && version === meter.version,
            )}
          />
        ))}
        {trust.data && meters.length === 0 && (
          <p className="section-body t2">
            Nothing is told yet: no model of it is in use here, and no chain with it was measured after a plan.
          </p>
        )}
        {meters.length > 0 && host && (
          <div className="section-body">
            <StartProfile nfType={nfType} host={host} label="Profile again" small />
          </div>
        )}
      </Section>
      <Section title="Last outcomes" note={outcomes.length}>
        {outcomes.length > 0 ? (
          <OutcomesTable outcomes={outcomes} size={6} />
        ) : (
          <p className="section-body t2">
            None. After a plan is applied, and once its chains are steady, each is measured for ten seconds and more.
          </p>
        )}
      </Section>
    </>
  );
}
