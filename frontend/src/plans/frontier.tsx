/** Moves against gain: what fewer moves would give, and a plan with fewer. */

import { type ReactNode, useState } from "react";
import { asProblem } from "@/api/problem";
import type { FrontierPoint, Plan, PlanBody } from "@/api/types";
import { count, signed } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { PagedTable } from "@/ui/pager";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import type { Column } from "@/ui/table";
import { againReason, intentAgain, neverApplied } from "./applicable";
import { useAskPlan } from "./ask-plan";
import { WEIGHTED } from "./changes-table";
import { FrontierChart, pointText } from "./frontier-chart";
import { movesOf, pointAt } from "./frontier-geometry";

const VIEWS = [
  { key: "chart", text: "Chart" },
  { key: "table", text: "Table" },
] as const;

const COLUMNS: readonly Column<FrontierPoint>[] = [
  { key: "moves", head: "Moves", align: "right", cell: ({ moves }) => moves },
  {
    key: "gain",
    head: (
      <>
        <Mark origin="predicted" />
        <span title={WEIGHTED}>gain, value × Mpps</span>
      </>
    ),
    align: "right",
    cell: ({ gain_mpps }) => signed(gain_mpps),
  },
  { key: "net", head: "after the cost", align: "right", cell: ({ net_mpps }) => signed(net_mpps) },
  {
    key: "proven",
    head: "Known",
    cell: ({ proven }) => (proven ? "proved best" : <span className="t3">best found</span>),
  },
];

export function FrontierSection({ plan, body }: { plan: Plan; body: PlanBody }): ReactNode {
  const { frontier } = body.evidence;
  const [view, setView] = useState<"chart" | "table">("chart");
  const own = movesOf(body.changes);
  const [chosen, setChosen] = useState(() => pointAt(frontier, own));
  const point = frontier[chosen];
  if (frontier.length < 2 || !point) return null;
  const proven = frontier.filter((each) => each.proven).length;
  return (
    <Section
      title="Moves against gain"
      note={
        <>
          <Mark origin="predicted" />
          <span title={WEIGHTED}>value × Mpps</span>: Mpps of each chain times its value
        </>
      }
      end={<Segmented label="View" value={view} options={VIEWS} onChange={setView} />}
    >
      {view === "chart" ? (
        <FrontierChart points={frontier} chosen={chosen} onChoose={setChosen} />
      ) : (
        <PagedTable
          label="Moves against gain"
          columns={COLUMNS}
          rows={frontier}
          rowKey={({ moves }) => moves}
          size={12}
          one="point"
        />
      )}
      <div className="section-body">
        <p className="frontier-key t2" aria-hidden="true">
          <span>
            <i className="gain" /> gain
          </span>
          <span>
            <i className="net" /> after the cost of moves
          </span>
          {proven < frontier.length && (
            <span>
              <i className="found" /> not proved
            </span>
          )}
        </p>
        <Choice plan={plan} frontier={frontier} chosen={chosen} own={own} />
      </div>
    </Section>
  );
}

/** The chosen point in words, and the plan that it stands for. */
function Choice(props: { plan: Plan; frontier: readonly FrontierPoint[]; chosen: number; own: number }): ReactNode {
  const { plan, frontier, chosen, own } = props;
  const intent = intentAgain(plan);
  const ask = useAskPlan(intent);
  const blocked = useActReason("plans.apply");
  const point = frontier[chosen];
  if (!point) return null;
  const solving = { ...plan.solving, max_moves: point.moves };
  const same = point.moves === own ? "This is the plan on the screen." : null;
  const next = frontier[chosen + 1];
  return (
    <>
      <p aria-live="polite">
        {pointText(point)}
        {next && <span className="t2">. The next adds {signed(next.gain_mpps - point.gain_mpps)}</span>}.
        {!next && own > point.moves && (
          <span className="t2"> This plan makes {count(own, "move")}; further gains are not shown.</span>
        )}
      </p>
      <div className="row-actions">
        <Button
          small
          onClick={() => ask.mutate(solving)}
          reason={ask.isPending ? "A plan is being made." : (blocked ?? againReason(plan) ?? same)}
          reasonSide="below-left"
        >
          Re-plan with at most {count(point.moves, "move")}
        </Button>
        {intent && neverApplied(plan) === null && (
          <CopyButton text={cli.askPlan(intent, solving)} curl={curls.askPlan(intent, solving)} />
        )}
      </div>
      {ask.error && <ProblemNote problem={asProblem(ask.error)} onDismiss={() => ask.reset()} />}
    </>
  );
}
