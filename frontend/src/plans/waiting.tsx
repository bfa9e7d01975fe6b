/** A plan that waits for models: which jobs measure for them, how far those are, and how to go on without them. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { proceedWithPlan } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { planQuery } from "@/api/queries";
import type { Plan, PlanWait } from "@/api/types";
import { duration } from "@/lib/format";
import { useJob } from "@/profiling/use-job";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { jobEnded, jobLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Mark, Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";

export function Waiting({ plan, wait }: { plan: Plan; wait: PlanWait }): ReactNode {
  return (
    <Section title="Waits for a model" padded>
      <p role="status">
        <Shape name="stale" />
        {wait.reason}.
      </p>
      <ul className="waits" aria-label="Profiling jobs">
        {wait.job_ids.map((id) => (
          <WaitedJob key={id} id={id} />
        ))}
      </ul>
      <ToPromote nfTypes={wait.nf_types} />
      <Proceed plan={plan} nfTypes={wait.nf_types} />
    </Section>
  );
}

function WaitedJob({ id }: { id: number }): ReactNode {
  const { job, error } = useJob(id);
  const part = job && job.points > 0 ? (100 * job.done) / job.points : 0;
  return (
    <li>
      <Link to="/profiling/$id" params={{ id: String(id) }}>
        job {id}
      </Link>{" "}
      {error && <span className="bad">{asProblem(error).title}</span>}
      {job && (
        <>
          <StateText look={jobLook(job)} /> {job.done} of {job.points} points
          {!jobEnded(job.state) && job.seconds_left != null && `, about ${duration(job.seconds_left)} left`}
          {!jobEnded(job.state) && job.note && <span className="t2">; {job.note}</span>}
          {!jobEnded(job.state) && (
            <span className="waited-bar" aria-hidden="true">
              <i style={{ width: `${part}%` }} />
            </span>
          )}
        </>
      )}
    </li>
  );
}

/** A model is of use once an operator has promoted it. */
function ToPromote({ nfTypes }: { nfTypes: readonly string[] }): ReactNode {
  return (
    <p className="t2">
      When a job is completed, review and promote the model of{" "}
      {nfTypes.map((name, index) => (
        <span key={name}>
          {index > 0 && ", "}
          <Link to="/nf-types/$name" params={{ name }}>
            {name}
          </Link>
        </span>
      ))}
      : the plan then continues by itself.
    </p>
  );
}

function Proceed({ plan, nfTypes }: { plan: Plan; nfTypes: readonly string[] }): ReactNode {
  const client = useQueryClient();
  const blocked = useActReason("plans.apply");
  const proceed = useMutation({
    mutationFn: () => proceedWithPlan(plan.id),
    onSettled: () => void client.invalidateQueries(planQuery(plan.id)),
  });
  return (
    <>
      <div className="row-actions">
        <Button onClick={() => proceed.mutate()} reason={proceed.isPending ? "The order is being sent." : blocked}>
          <Mark origin="assumed" />
          Plan with assumed figures
        </Button>
        <CopyButton text={cli.proceedWithPlan(plan.id)} curl={curls.proceedWithPlan(plan.id)} />
        <span className="t2">
          now, with the assumed figures of the program that {nfTypes.length === 1 ? nfTypes[0] : "each"} runs; profiling
          continues
        </span>
      </div>
      {proceed.error && <ProblemNote problem={asProblem(proceed.error)} onDismiss={() => proceed.reset()} />}
    </>
  );
}
