/** Control laws: what each does, policies by scope, the timeline, and the switch that stops all. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { automationQuery } from "@/api/automation-queries";
import { asProblem } from "@/api/problem";
import { LawsTable } from "@/automation/laws-table";
import { MaintenanceWindows } from "@/automation/maintenance-windows";
import { ScopedPolicies } from "@/automation/scoped-policies";
import { StopAll } from "@/automation/stop-all";
import { Timeline } from "@/automation/timeline";
import { PolicyButton } from "@/recommendations/policy-button";
import { RecommendationStrips } from "@/recommendations/strip";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";

export function AutomationPage(): ReactNode {
  const { data, error } = useQuery(automationQuery);
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Automation"
        facts={data?.stopped && <span className="warn">all control laws are stopped, by {data.changed_by}</span>}
        actions={data && <StopAll automation={data} />}
      />
      <RecommendationStrips />
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="empty late">Loading control laws</p>}
      {data && (
        <>
          <Section title="Control laws" note="how far each may act in the fleet" end={<PolicyButton />}>
            <LawsTable laws={data.laws} />
          </Section>
          <ScopedPolicies laws={data.laws} />
          <MaintenanceWindows />
          <Timeline />
        </>
      )}
    </main>
  );
}
