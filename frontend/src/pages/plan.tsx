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
import { movedHosts } from "@/plans/applicable";
import { ChangesTable } from "@/plans/changes-table";
import { DoesNotFit } from "@/plans/does-not-fit";
import { ChecksSection, EvidenceSection, PredictionsSection } from "@/plans/evidence";
import { PlanBar } from "@/plans/plan-bar";
import { PlanPictures } from "@/plans/plan-pictures";
import { PlanStateText, subjectOf } from "@/plans/words";
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
      />
      {error && !plan && <ProblemNote problem={asProblem(error)} />}
      {!error && !plan && <p className="empty late">Loading plan {id}</p>}
      {plan && <Review key={plan.id} plan={plan} />}
    </main>
  );
}

function Facts({ plan }: { plan: Plan }): ReactNode {
  const now = useNow();
  const hosts = useLive((state) => state.hosts);
  const moved = movedHosts(plan, hosts);
  return (
    <>
      <span className="strong">{subjectOf(plan)}</span>
      <PlanStateText state={plan.state} />
      <span>
        by {plan.created_by}, {ageOrTime(plan.created_at, now)}
      </span>
      {plan.digest && <span className="mono second-rank">digest {shortDigest(plan.digest)}</span>}
      {plan.state === "proposed" &&
        (plan.body?.base.length ?? 0) > 0 &&
        (moved.length === 0 ? (
          <span>
            <Shape name="ok" />
            generations unchanged since
          </span>
        ) : (
          <span className="warn">
            <Shape name="warn" />
            {moved.map(({ host, expected, actual }) => `${host} ${expected} → ${actual}`).join(", ")}: applying will be
            refused
          </span>
        ))}
    </>
  );
}

function Review({ plan }: { plan: Plan }): ReactNode {
  const hosts = useLive((state) => state.hosts);
  const chains = useLive((state) => state.chains);
  const types = useQuery(nfTypesQuery).data?.items ?? [];
  const { body } = plan;
  if (!body) return <NoBody plan={plan} />;
  return (
    <>
      <StateBanner plan={plan} />
      <div className="columns plan-columns">
        <div className="main">
          {body.changes.length === 0 && <p className="empty">{nothingText(body)}</p>}
          <PlanPictures body={body} hosts={hosts} types={types} />
          <Section title="Changes" note={count(body.changes.length, "NF")}>
            <ChangesTable changes={body.changes} />
          </Section>
          <DoesNotFit rejected={body.rejected} />
          {body.warnings.length > 0 && (
            <Section title="Warnings" note={body.warnings.length} padded>
              <ul>
                {body.warnings.map((warning) => (
                  <li key={warning}>
                    <Shape name="warn" />
                    {warning}
                  </li>
                ))}
              </ul>
            </Section>
          )}
        </div>
        <Side label="Evidence and predictions">
          {body.predictions.length > 0 && <PredictionsSection body={body} chains={chains} />}
          <EvidenceSection body={body} />
          <ChecksSection body={body} />
        </Side>
      </div>
      <PlanBar plan={plan} />
    </>
  );
}

function nothingText(body: PlanBody): string {
  if (body.rejected.length > 0) return "This plan changes nothing: what was asked for does not fit, see below.";
  return "This plan changes nothing: everything stays where it is.";
}

/** What became of the plan, where it is no longer to be decided. */
function StateBanner({ plan }: { plan: Plan }): ReactNode {
  if (plan.error) return <ProblemNote problem={plan.error} />;
  if (plan.state === "superseded") {
    return (
      <div className="banner" role="status">
        <Shape name="warn" />
        <span>
          <b className="strong">Superseded.</b> A host it touches has moved on since it was made; nothing was changed by
          it. Re-plan makes a new plan for the same intent.
        </span>
      </div>
    );
  }
  if (plan.operation_id !== null) {
    return (
      <p className="state-line">
        <PlanStateText state={plan.state} /> by{" "}
        <Link to="/operations/$operationId" params={{ operationId: String(plan.operation_id) }}>
          operation {plan.operation_id}
        </Link>
      </p>
    );
  }
  return null;
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
  if (plan.state !== "planning") return <p className="empty">This plan has no content.</p>;
  return (
    <p className="empty" role="status">
      <Shape name="running" />
      The plan is being made. It appears here by itself; if it does not within 10 s, check the worker with{" "}
      <code className="command">make status</code>.
    </p>
  );
}
