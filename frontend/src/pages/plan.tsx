/** Plan review: what would change and why, before and after, the evidence, and the decision. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { nfTypesQuery, planQuery } from "@/api/queries";
import type { Plan, PlanBody } from "@/api/types";
import { ageOrTime, count, shortDigest } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { PlanStartCommands } from "@/opennetvm/start-commands";
import { AdjustmentsTable } from "@/plans/adjustments-table";
import { doesSomething, isPreview, isStudy, movedHosts, neverApplied, supersededText } from "@/plans/applicable";
import { AssignedSections } from "@/plans/assigned";
import { ChangesTable } from "@/plans/changes-table";
import { ChecksSection } from "@/plans/checks";
import { CompactSections } from "@/plans/compact";
import { DoesNotFit } from "@/plans/does-not-fit";
import { DriftTable } from "@/plans/drift-table";
import { EvidenceSection, HostEvidenceSection } from "@/plans/evidence";
import { FrontierSection } from "@/plans/frontier";
import { HandoverSection } from "@/plans/handover";
import { LossSection } from "@/plans/loss";
import { PlanBar } from "@/plans/plan-bar";
import { PlanConsolidation } from "@/plans/plan-consolidation";
import { PlanInterference } from "@/plans/plan-interference";
import { PlanPictures } from "@/plans/plan-pictures";
import { Planning } from "@/plans/planning";
import { PredictionsSection } from "@/plans/predictions";
import { StartSettings } from "@/plans/start-settings";
import { WarningsSection } from "@/plans/warnings";
import { assumedText, subjectOf } from "@/plans/words";
import { PlanRace } from "@/recommendations/plan-race";
import { Recommended } from "@/recommendations/recommended";
import { planLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { Shape } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Side } from "@/ui/side";

const route = getRouteApi("/shell/plans/$planId");

export function PlanPage(): ReactNode {
  const id = Number(route.useParams().planId);
  const { data: plan, error } = useQuery(planQuery(id));
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle
        path={<Link to="/plans">Plans</Link>}
        name={String(id)}
        facts={plan ? <Facts plan={plan} /> : undefined}
        actions={plan?.body && <PlanStartCommands id={plan.id} body={plan.body} />}
      />
      {error && !plan && <ProblemNote problem={asProblem(error)} />}
      {!error && !plan && <p className="empty late">Loading plan {id}</p>}
      {plan && <Review key={plan.id} plan={plan} />}
    </main>
  );
}

function Facts({ plan }: { plan: Plan }): ReactNode {
  const now = useNow();
  return (
    <>
      <span className="strong">{subjectOf(plan)}</span>
      <StateText look={planLook({ state: plan.state, source: plan.source, waits: plan.waits_for ?? null })} />
      <span>
        by {plan.created_by}, {ageOrTime(plan.created_at, now)}
      </span>
      {plan.comparison_id != null && (
        <span>
          of{" "}
          <Link to="/comparisons/$id" params={{ id: String(plan.comparison_id) }}>
            comparison {plan.comparison_id}
          </Link>
        </span>
      )}
      {plan.digest && <span className="mono second-rank">digest {shortDigest(plan.digest)}</span>}
      {plan.state === "proposed" && neverApplied(plan) === null && (plan.body?.base.length ?? 0) > 0 && (
        <Unchanged plan={plan} />
      )}
    </>
  );
}

/** How many hosts that have moved on are named; the rest is a number. */
const NAMED = 3;

function Unchanged({ plan }: { plan: Plan }): ReactNode {
  const hosts = useLive((state) => state.hosts);
  const moved = movedHosts(plan, hosts);
  if (moved.length === 0) {
    return (
      <span>
        <Shape name="ok" />
        generations unchanged since
      </span>
    );
  }
  const named = moved.slice(0, NAMED).map(({ host, expected, actual }) => `${host} ${expected} → ${actual}`);
  const others = moved.length - named.length;
  return (
    <span className="warn">
      <Shape name="warn" />
      {named.join(", ")}
      {others > 0 && ` and ${count(others, "more host")}`}: applying will be refused
    </span>
  );
}

function Review({ plan }: { plan: Plan }): ReactNode {
  const { body } = plan;
  if (!body) return <NoBody plan={plan} />;
  const study = isStudy(plan);
  return (
    <>
      <StateBanner plan={plan} />
      <div className="columns plan-columns">
        <div className="main">
          {!doesSomething(body) && <p className="empty">{nothingText(body)}</p>}
          {body.intent.kind === "align" && <DriftSection intent={body.intent} />}
          <DoesNotFit
            rejected={body.rejected}
            linked={!study}
            stays={body.intent.kind === "drain" || body.intent.kind === "relocate"}
            assumed={body.intent.kind === "place" ? (body.intent.assume ?? []) : []}
          />
          <Pictures body={body} study={study} planId={isPreview(plan) ? null : plan.id} />
          {body.adjustments.length > 0 && (
            <Section
              title="Settings"
              note={`${count(body.adjustments.length, "setting")}, changed while the chain runs`}
            >
              <AdjustmentsTable adjustments={body.adjustments} />
            </Section>
          )}
          {(body.adjustments.length === 0 || body.changes.length > 0) && (
            <Section title="Changes" note={count(body.changes.length, "NF")}>
              <ChangesTable changes={body.changes} linked={!study} />
              <StartSettings body={body} />
            </Section>
          )}
          <LossSection body={body} />
          <HandoverSection body={body} />
          <PlanRace plan={plan} />
          {!isPreview(plan) && <PlanInterference plan={plan} body={body} />}
          {!isPreview(plan) && <PlanConsolidation plan={plan} body={body} />}
          <WarningsSection warnings={body.warnings} />
        </div>
        <Side label="Evidence and predictions">
          <Recommended plan={plan} />
          <EvidenceSection plan={plan} body={body} />
          <CompactSections evidence={body.evidence} />
          <AssignedSections evidence={body.evidence} />
          <FrontierSection plan={plan} body={body} />
          <HostEvidenceSection evidence={body.evidence} />
          <Predictions body={body} study={study} />
          <ChecksSection body={body} />
        </Side>
      </div>
      <PlanBar plan={plan} />
    </>
  );
}

/** Parts that hear the stream stand alone: the rest of a large plan is not drawn anew with every sample. */
function Pictures(props: { body: PlanBody; study: boolean; planId: number | null }): ReactNode {
  const { body, study, planId } = props;
  const hosts = useLive((state) => state.hosts);
  const types = useQuery(nfTypesQuery).data?.items ?? [];
  if (study && body.base.length === 0) return null;
  if (study) {
    return (
      <p className="section-body lead t2">
        {count(body.base.length, "host")} of the file; they are not hosts of this fleet, so none is shown.
      </p>
    );
  }
  return <PlanPictures body={body} hosts={hosts} types={types} planId={planId} />;
}

function Predictions({ body, study }: { body: PlanBody; study: boolean }): ReactNode {
  const chains = useLive((state) => state.chains);
  if (body.predictions.length === 0) return null;
  return <PredictionsSection body={body} chains={study ? null : chains} />;
}

type Align = Extract<PlanBody["intent"], { kind: "align" }>;

/** What was found when the plan was asked for. */
function DriftSection({ intent }: { intent: Align }): ReactNode {
  const differences = intent.differences ?? [];
  return (
    <Section
      title="Drift"
      note={
        intent.action === "repair"
          ? "the host is ordered again what it was ordered; what runs as ordered goes on"
          : "what the host runs becomes its order"
      }
    >
      {differences.length > 0 ? (
        <DriftTable differences={differences} />
      ) : (
        <p className="section-body t2">Every NF runs as ordered; the agent holds another order than the newest one.</p>
      )}
    </Section>
  );
}

function nothingText(body: PlanBody): string {
  if (body.rejected.length > 0) return "This plan changes nothing: the request does not fit, see below.";
  return "This plan changes nothing: all NFs stay where they are.";
}

/** What became of the plan, where it is no longer to be decided. */
function StateBanner({ plan }: { plan: Plan }): ReactNode {
  if (plan.error) return <ProblemNote problem={plan.error} />;
  if (isStudy(plan)) {
    return (
      <p className="state-line" role="status">
        <b className="strong">Study on a snapshot file: cannot be applied.</b>{" "}
        <span className="t2">Its hosts and chains are those of the file, not of this fleet.</span>
      </p>
    );
  }
  if (isPreview(plan) && plan.state === "proposed") {
    return (
      <p className="state-line" role="status">
        <b className="strong">
          Preview{plan.intent.kind === "place" && assumedText(plan.intent.assume)}: cannot be applied.
        </b>{" "}
        <span className="t2">Nothing was changed. Make it so, then plan the chain again.</span>
      </p>
    );
  }
  if (plan.state === "superseded") {
    return (
      <div className="banner" role="status">
        <Shape name="warn" />
        <span>
          <b className="strong">Superseded.</b> <WhySuperseded plan={plan} />; it changed nothing. Re-plan makes a new
          plan for the same intent.
        </span>
      </div>
    );
  }
  if (plan.operation_id !== null) {
    return (
      <p className="state-line">
        <StateText look={planLook({ state: plan.state })} /> by{" "}
        <Link to="/operations/$operationId" params={{ operationId: String(plan.operation_id) }}>
          operation {plan.operation_id}
        </Link>
      </p>
    );
  }
  return null;
}

function WhySuperseded({ plan }: { plan: Plan }): ReactNode {
  const hosts = useLive((state) => state.hosts);
  return supersededText(movedHosts(plan, hosts));
}

function NoBody({ plan }: { plan: Plan }): ReactNode {
  if (plan.error) {
    return (
      <>
        <div className="main page">
          <ProblemNote problem={plan.error} />
        </div>
        <PlanBar plan={plan} />
      </>
    );
  }
  if (plan.state === "planning") return <Planning plan={plan} />;
  if (plan.state === "rejected") return <p className="empty">Cancelled before it was finished; nothing was changed.</p>;
  return <p className="empty">This plan has no content.</p>;
}
