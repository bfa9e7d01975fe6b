/** What came of the predictions of a chain, apply by apply: how far each was off, and in figures. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { chainOutcomesQuery } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { OutcomesTable } from "@/trust/outcomes-table";
import { CopyButton } from "@/ui/copy-button";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";

export function ChainOutcomes({ name }: { name: string }): ReactNode {
  const { data, error } = useQuery(chainOutcomesQuery(name));
  return (
    <Section
      title="Outcomes"
      note="each prediction beside the measurement once the load was steady"
      end={<CopyButton text={cli.outcomesOfChain(name)} curl={curls.outcomesOfChain(name)} />}
    >
      {error && <PartProblem problem={asProblem(error)} />}
      {data && data.items.length === 0 && (
        <p className="section-body t2">None yet: a chain is measured some seconds after its plan was applied.</p>
      )}
      {data && data.items.length > 0 && <OutcomesTable outcomes={data.items} named={false} />}
    </Section>
  );
}
