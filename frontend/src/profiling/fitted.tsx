/** What was fitted when a job ended, and where it can be promoted. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { fitQuery } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import type { FitView, ModelVersion, ProfilingJob } from "@/api/types";
import { count, figure } from "@/lib/format";
import { ModelText } from "@/states/model-text";

import { Shape } from "@/ui/marks";
import { PartProblem } from "@/ui/part-problem";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";

const FITTING_MS = 1000;

export function Fitted({ job }: { job: ProfilingJob }): ReactNode {
  if (job.ask.levels) return <Levels job={job} />;
  if (job.ask.shares) return <Shares job={job} />;
  if (job.fit_id != null) return <OfFit job={job} fitId={job.fit_id} />;
  if (job.state !== "COMPLETED") return null;
  return (
    <Section title="Model" padded>
      <p className="t2">No fit was made from this job.</p>
    </Section>
  );
}

function Shares({ job }: { job: ProfilingJob }): ReactNode {
  if (job.shares_id == null) return null;
  return (
    <Section title="Shares" note={`shares ${job.shares_id}`} padded>
      <p>
        <Link to="/nf-types/$name" params={{ name: job.ask.nf_type }} search={{ on: job.host_model }}>
          Shares of {job.ask.nf_type}: review and promote
        </Link>
      </p>
    </Section>
  );
}

function Levels({ job }: { job: ProfilingJob }): ReactNode {
  if (job.levels_id == null) return null;
  return (
    <Section title="Levels" note={`levels ${job.levels_id}`} padded>
      <p>
        <Link to="/nf-types/$name" params={{ name: job.ask.nf_type }} search={{ on: job.host_model }}>
          Levels of {job.ask.nf_type}: review and promote
        </Link>
      </p>
    </Section>
  );
}

function OfFit({ job, fitId }: { job: ProfilingJob; fitId: number }): ReactNode {
  const { data, error } = useQuery({
    ...fitQuery(fitId),
    refetchInterval: (query) => (query.state.data?.state === "fitting" ? FITTING_MS : false),
  });
  return (
    <Section title="Model" note={`fit ${fitId}`} padded>
      {error && !data && <PartProblem problem={asProblem(error)} />}
      {data && <FitText job={job} fit={data} />}
    </Section>
  );
}

function FitText({ job, fit }: { job: ProfilingJob; fit: FitView }): ReactNode {
  const name = job.ask.nf_type;
  if (fit.error) return <ProblemNote problem={fit.error} />;
  if (!fit.fit) {
    return (
      <p role="status">
        <Shape name="running" />
        being fitted
      </p>
    );
  }
  const model = fit.fit.models.find(({ nf_type }) => nf_type === name);
  return (
    <>
      {model ? <Model model={model} /> : <p className="t2">It has no model of {name}.</p>}
      <p className="t3">
        {count(fit.fit.samples, "sample")}, metric {fit.fit.metric.used}
        {fit.fit.metric.chosen === null && " (none qualifies, so its models are not validated)"}
      </p>
      <p>
        <Link to="/nf-types/$name" params={{ name }}>
          Versions of {name}
          {model?.state === "candidate" && ": review and promote"}
        </Link>
      </p>
    </>
  );
}

function Model({ model }: { model: ModelVersion }): ReactNode {
  const held = model.scores.find(({ split, predictor }) => split === "mix" && predictor === "octans");
  return (
    <>
      <p>
        <ModelText model={model} />
      </p>
      {held?.error_points != null && (
        <p className="t2">
          mean error of the drop {figure(held.error_points)} points on {count(held.samples, "held-out sample")}
        </p>
      )}
      {(model.refusals ?? []).map((refusal) => (
        <p key={refusal} className="bad">
          {refusal}
        </p>
      ))}
    </>
  );
}
