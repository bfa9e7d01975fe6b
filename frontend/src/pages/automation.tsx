/** Control laws: what each does, policies by scope, the timeline, and the switch that stops all; a tab for each law. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { automationQuery } from "@/api/automation-queries";
import { asProblem } from "@/api/problem";
import type { Automation } from "@/api/types";
import { type LawTab, LawTabs } from "@/automation/law-tabs";
import { LawsTable } from "@/automation/laws-table";
import { MaintenanceWindows } from "@/automation/maintenance-windows";
import { ScopedPolicies } from "@/automation/scoped-policies";
import { StopAll } from "@/automation/stop-all";
import { Timeline } from "@/automation/timeline";
import type { CocoChange } from "@/laws/coco/search";
import { CocoTab } from "@/laws/coco/tab";
import type { LawChange } from "@/laws/numasfp/search";
import { NumasfpTab } from "@/laws/numasfp/tab";
import { SharedCoresTab } from "@/laws/sfc2cpu/tab";
import type { Srv6Change } from "@/laws/srv6/search";
import { Srv6Tab } from "@/laws/srv6/tab";
import { PolicyButton } from "@/recommendations/policy-button";
import { Recommendations } from "@/recommendations/recommendations-table";
import { RecommendationStrips } from "@/recommendations/strip";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type AutomationSearch, automationSearch, type Resorted } from "./searches";

const route = getRouteApi("/shell/automation");

export function AutomationPage(): ReactNode {
  const { data, error } = useQuery(automationQuery);
  const { tab = null, ...search } = route.useSearch();
  const navigate = useNavigate({ from: "/automation" });
  const onChange = (change: LawChange & CocoChange & Srv6Change & Resorted<AutomationSearch>) =>
    void navigate({ search: (old) => automationSearch({ ...old, ...change }), replace: true });
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Automation"
        facts={data?.stopped && <span className="warn">all control laws are stopped, by {data.changed_by}</span>}
        actions={data && <StopAll automation={data} />}
      />
      <LawTabs />
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="empty late">Loading control laws</p>}
      {data && (tab === "numasfp" || tab === "coco" || tab === "srv6") && (
        <>
          {tab === "numasfp" && <NumasfpTab stopped={data.stopped} search={search} onChange={onChange} />}
          {tab === "coco" && <CocoTab stopped={data.stopped} search={search} onChange={onChange} />}
          {tab === "srv6" && <Srv6Tab stopped={data.stopped} search={search} onChange={onChange} />}
          <Recommended law={tab} search={search} onChange={onChange} />
          <Timeline law={tab} sort={search.timeline} onSort={(timeline) => onChange({ timeline })} />
        </>
      )}
      {data && tab === "sfc2cpu" && <SharedCoresTab search={search} />}
      {data && (tab === null || tab === "octans") && (
        <Laws automation={data} law={tab} search={search} onChange={onChange} />
      )}
    </main>
  );
}

/** `law`: only that one; null: all. */
function Laws(props: {
  automation: Automation;
  law: LawTab | null;
  search: AutomationSearch;
  onChange: (change: Resorted<AutomationSearch>) => void;
}): ReactNode {
  const { automation, law, search, onChange } = props;
  const laws = automation.laws.filter(({ name }) => law === null || name === law);
  return (
    <>
      <RecommendationStrips law={law} />
      <Section title="Control laws" note="how far each may act in the fleet" end={<PolicyButton />}>
        <LawsTable laws={laws} />
      </Section>
      <ScopedPolicies laws={laws} law={law} sort={search.policies} onSort={(policies) => onChange({ policies })} />
      {law === null && <MaintenanceWindows sort={search.windows} onSort={(windows) => onChange({ windows })} />}
      <Recommended law={law} search={search} onChange={onChange} />
      <Timeline law={law} sort={search.timeline} onSort={(timeline) => onChange({ timeline })} />
    </>
  );
}

function Recommended(props: {
  law: LawTab | null;
  search: AutomationSearch;
  onChange: (change: Resorted<AutomationSearch>) => void;
}): ReactNode {
  const { law, search, onChange } = props;
  return (
    <Recommendations
      law={law}
      state={search.recommended}
      onState={(recommended) => onChange({ recommended })}
      sort={search.recommendations}
      onSort={(recommendations) => onChange({ recommendations })}
    />
  );
}
