/** Several algorithms on one snapshot: one column an algorithm, what is best marked, live while plans are made. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ComparedPlan, PlanBrief } from "@/api/types";
import { figure, percent, signed, thousands } from "@/lib/format";
import { secondsText } from "@/plans/evidence";
import { stageText } from "@/plans/planning";
import { gapText, verdictText } from "@/plans/status";
import { planLook } from "@/states/derived";
import { StateText } from "@/states/state-text";

import { Mark, Shape } from "@/ui/marks";
import { behind, bestOf, isBest, leftOut, withLive } from "./ranking";

interface Row {
  readonly key: string;
  readonly head: ReactNode;
  readonly cell: (plan: ComparedPlan, best: ComparedPlan | null, brief: PlanBrief | undefined) => ReactNode;
}

const ROWS: readonly Row[] = [
  { key: "status", head: "Status", cell: (plan, _best, brief) => <Status plan={plan} brief={brief} /> },
  {
    key: "score",
    head: (
      <>
        <Mark origin="predicted" />
        score, value × Mpps
      </>
    ),
    cell: ({ score }, _best, brief) =>
      score === null || score === undefined ? (
        <span className="t3">{brief?.progress?.best != null ? `${figure(brief.progress.best)} so far` : "–"}</span>
      ) : (
        <b className="strong">{figure(score)}</b>
      ),
  },
  { key: "behind", head: "score, difference to the best", cell: (plan, best) => <Behind plan={plan} best={best} /> },
  {
    key: "objective",
    head: (
      <>
        <Mark origin="predicted" />
        throughput, Mpps
      </>
    ),
    cell: ({ objective_mpps }) => figure(objective_mpps),
  },
  { key: "bound", head: "bound of the score", cell: ({ bound }) => figure(bound) },
  { key: "gap", head: "gap, score to bound", cell: ({ gap }) => (gap == null ? "–" : gapText(gap)) },
  { key: "seconds", head: "time", cell: ({ seconds }) => (seconds == null ? "–" : secondsText(seconds)) },
  {
    key: "tried",
    head: "placements tried",
    cell: ({ evaluations }) => (evaluations == null ? "–" : thousands(evaluations)),
  },
  { key: "placed", head: "chains that start", cell: ({ placed, state }) => made(state, thousands(placed)) },
  {
    key: "rejected",
    head: "chains that do not fit",
    cell: ({ rejected, state }) =>
      made(state, rejected > 0 ? <span className="warn">{thousands(rejected)}</span> : "0"),
  },
  {
    key: "value",
    head: "value that does not fit",
    cell: (plan) => made(plan.state, figure(leftOut(plan))),
  },
  { key: "moves", head: "NFs that move", cell: ({ moves, state }) => made(state, thousands(moves)) },
  { key: "changes", head: "changes in total", cell: ({ changes, state }) => made(state, thousands(changes)) },
];

/** A count that is not known yet is no 0. */
function made(state: ComparedPlan["state"], text: ReactNode): ReactNode {
  return state === "planning" || state === "failed" ? "–" : text;
}

export function SideBySide(props: {
  plans: readonly ComparedPlan[];
  briefs: ReadonlyMap<number, PlanBrief>;
}): ReactNode {
  const { briefs } = props;
  const plans = props.plans.map((plan) => withLive(plan, briefs.get(plan.plan_id)));
  const best = bestOf(plans);
  return (
    <div className="side-by-side">
      <table aria-label="Algorithms side by side">
        <thead>
          <tr>
            <th scope="col">
              <span className="hidden-text">Figure</span>
            </th>
            {plans.map((plan) => (
              <th key={plan.plan_id} scope="col" className={`num ${isBest(plan, best) ? "best" : ""}`}>
                {plan.algorithm}
                {isBest(plan, best) && plans.length > 1 && <span className="best-word"> best</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROWS.map((row) => (
            <tr key={row.key}>
              <th scope="row">{row.head}</th>
              {plans.map((plan) => (
                <td key={plan.plan_id} className={`num ${isBest(plan, best) ? "best" : ""}`}>
                  {row.cell(plan, best, briefs.get(plan.plan_id))}
                </td>
              ))}
            </tr>
          ))}
          <tr>
            <th scope="row">plan</th>
            {plans.map((plan) => (
              <td key={plan.plan_id} className={`num ${isBest(plan, best) ? "best" : ""}`}>
                <Link to="/plans/$planId" params={{ planId: String(plan.plan_id) }}>
                  plan {plan.plan_id}
                </Link>
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </div>
  );
}

function Status({ plan, brief }: { plan: ComparedPlan; brief: PlanBrief | undefined }): ReactNode {
  if (plan.state === "planning") {
    return (
      <span className="status-words">
        <Shape name="running" />
        {brief?.progress ? stageText(brief.progress) : "waits for a worker"}
      </span>
    );
  }
  if (!plan.status || plan.state === "failed") return <StateText look={planLook({ state: plan.state })} />;
  if (plan.status === "feasible" && plan.changes === 0 && plan.score == null) return "changes nothing";
  const word = verdictText(plan.status, plan.doubt ?? null);
  if (plan.status === "optimal" && plan.doubt) {
    return (
      <span className="warn">
        <Shape name="warn" />
        {word}
      </span>
    );
  }
  if (plan.status === "optimal") {
    return (
      <>
        <Shape name="ok" />
        {word} by its models, proved
      </>
    );
  }
  if (plan.status === "feasible" && plan.gap === 0) return `${word}, meets its bound`;
  return plan.status === "infeasible" ? <span className="warn">{word}</span> : word;
}

function Behind({ plan, best }: { plan: ComparedPlan; best: ComparedPlan | null }): ReactNode {
  const difference = behind(plan, best);
  if (difference === null || best?.score == null) return "–";
  if (isBest(plan, best)) return <span className="t2">best</span>;
  const sign = difference < 0 ? "−" : "+";
  const share = best.score === 0 ? "" : ` (${sign}${percent(Math.abs(difference / best.score) * 100)} %)`;
  return `${signed(difference)}${difference === 0 ? "" : share}`;
}
