/** A plan that is being made: how far it is, what was found so far, and how to end it. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { rejectPlan } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { planQuery } from "@/api/queries";
import type { Plan, PlanProgress } from "@/api/types";
import { figure, secondsSince, thousands } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Mark, Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { solvingText } from "./solving";
import { gapOf, gapText } from "./status";
import { Waiting } from "./waiting";

/** A worker that is up begins within this time. */
const USUAL_START_S = 10;

const STAGES: readonly { key: PlanProgress["stage"]; text: string; of: string }[] = [
  { key: "reading", text: "reading the fleet", of: "" },
  { key: "choosing", text: "choosing hosts for chains", of: "chains" },
  { key: "exchanging", text: "exchanging chains between hosts", of: "chains" },
  { key: "solving", text: "placing NFs on each host", of: "hosts" },
  { key: "explaining", text: "explaining the plan", of: "hosts" },
  { key: "checking", text: "checking the plan", of: "hosts" },
];

export function Planning({ plan }: { plan: Plan }): ReactNode {
  const client = useQueryClient();
  const now = useNow();
  const live = useLive((state) => state.plans.get(plan.id)?.progress);
  const progress = live ?? plan.progress ?? null;
  const blocked = useActReason("plans.apply");
  const cancel = useMutation({
    mutationFn: () => rejectPlan(plan.id),
    onSettled: () => void client.invalidateQueries(planQuery(plan.id)),
  });
  const waited = secondsSince(plan.created_at, now);
  return (
    <div className="planning">
      {plan.waits_for && <Waiting plan={plan} wait={plan.waits_for} />}
      <Section title="Planning" note={solvingText(plan.solving)} padded>
        <p role="status">
          <Shape name={progress || !plan.waits_for ? "running" : "idle"} />
          {progress ? stageText(progress) : plan.waits_for ? "no worker has started it" : "waits for a worker"}
        </p>
        {progress && <Found progress={progress} limit={plan.solving.time_limit_s} />}
        {!progress && !plan.waits_for && waited > USUAL_START_S && (
          <p className="warn">
            <Shape name="warn" />
            No worker has started it for {Math.round(waited)} s. Check the workers with{" "}
            <code className="command">make status</code>, or of containers{" "}
            <code className="command">docker compose ps</code>.
          </p>
        )}
        <div className="row-actions">
          <Button
            look="danger"
            onClick={() => cancel.mutate()}
            reason={cancel.isPending ? "The order is being sent." : blocked}
            reasonSide="below-left"
          >
            Cancel
          </Button>
          <CopyButton text={cli.rejectPlan(plan.id)} curl={curls.rejectPlan(plan.id)} />
          <span className="t2">Planning changes nothing on any host.</span>
        </div>
        {cancel.error && <ProblemNote problem={asProblem(cancel.error)} onDismiss={() => cancel.reset()} />}
      </Section>
    </div>
  );
}

/** "placing NFs on each host, 12 of 40 hosts". */
export function stageText(progress: PlanProgress): string {
  const stage = STAGES.find(({ key }) => key === progress.stage);
  const done =
    progress.total > 0 ? `, ${thousands(progress.done)} of ${thousands(progress.total)} ${stage?.of ?? ""}` : "";
  return `${stage?.text ?? progress.stage}${done}`.trimEnd();
}

function Found({ progress, limit }: { progress: PlanProgress; limit: number }): ReactNode {
  const { best = null, bound = null, evaluations, seconds, done, total, stage } = progress;
  const gap = gapOf({ score: best, bound });
  const at = STAGES.findIndex(({ key }) => key === stage);
  return (
    <>
      <ol className="stages" aria-label="Stages">
        {STAGES.map(({ key, text }, index) => (
          <li key={key} className={index < at ? "done" : index === at ? "running" : ""} title={text}>
            <i
              aria-hidden="true"
              style={index === at && total > 0 ? { width: `${Math.min(100, (done / total) * 100)}%` } : undefined}
            />
            <span className="hidden-text">
              {text}
              {index < at ? ", done" : index === at ? ", now" : ""}
            </span>
          </li>
        ))}
      </ol>
      <dl className="facts">
        <dt>Best so far</dt>
        <dd>
          {best === null ? (
            "none yet"
          ) : (
            <>
              <Mark origin="predicted" />
              {figure(best)}
              {bound !== null && `, bound ${figure(bound)}`}
            </>
          )}
        </dd>
        <dt>Gap</dt>
        <dd>{gap === null ? "not known yet" : `at most ${gapText(gap)}`}</dd>
        <dt>Tried</dt>
        <dd>{thousands(evaluations)} placements</dd>
        <dt>Time</dt>
        <dd>
          {seconds.toFixed(1)} of {limit} s
        </dd>
      </dl>
    </>
  );
}
