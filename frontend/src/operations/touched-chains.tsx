/** The chains an operation touches, from before it to after it. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { planQuery } from "@/api/queries";
import type { Operation } from "@/api/types";
import { useLive } from "@/live/store";
import { AdjustmentsTable } from "@/plans/adjustments-table";
import { ChangesTable } from "@/plans/changes-table";
import { Section } from "@/ui/section";
import { ChainCourse } from "./chain-course";

/** Charts of more chains hide the steps. */
const MOST = 2;

export function TouchedChains({ operation }: { operation: Operation }): ReactNode {
  const { data: plan } = useQuery(planQuery(operation.plan_id));
  const chains = useLive((state) => state.chains);
  const changes = plan?.body?.changes ?? [];
  const adjustments = plan?.body?.adjustments ?? [];
  const names = [...new Set([...changes, ...adjustments].map(({ chain }) => chain))];
  const shown = names.flatMap((name) => chains.get(name) ?? []).slice(0, MOST);
  return (
    <>
      {adjustments.length > 0 && (
        <Section title="Settings" note={`of plan ${operation.plan_id}, changed while chains run`}>
          <AdjustmentsTable adjustments={adjustments} />
        </Section>
      )}
      {(adjustments.length === 0 || changes.length > 0) && (
        <Section title="Changes" note={`of plan ${operation.plan_id}`}>
          <ChangesTable changes={changes} />
        </Section>
      )}
      {shown.map((chain) => (
        <div key={chain.spec.name}>
          <div className="section-head">
            <h2>{chain.spec.name}</h2>
            {names.length > shown.length && (
              <span className="t3">
                {shown.length} of {names.length} chains shown
              </span>
            )}
          </div>
          <ChainCourse
            operation={operation}
            chain={chain}
            prediction={plan?.body?.predictions.find((one) => one.chain === chain.spec.name) ?? null}
          />
        </div>
      ))}
    </>
  );
}
