/** One profiling job, live: how far it is, what it waits for, every point with its figures, what was fitted. */

import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import type { ProfilingJob } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { DropPlot } from "@/profiling/drop-plot";
import { Fitted } from "@/profiling/fitted";
import { JobActions } from "@/profiling/job-actions";
import { JobAsk, JobProgress } from "@/profiling/job-side";
import { PointsTable } from "@/profiling/points-table";
import { useJob, useJobPoints } from "@/profiling/use-job";
import { originOf, titleOf } from "@/profiling/words";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { jobEnded, jobLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { CopyButton } from "@/ui/copy-button";
import { Shape } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { PartProblem } from "@/ui/part-problem";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Side } from "@/ui/side";

const route = getRouteApi("/shell/profiling/$id");

export function ProfilingJobPage(): ReactNode {
  const id = Number(route.useParams().id);
  const { job, error } = useJob(id);
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle
        path={<Link to="/profiling">Profiling</Link>}
        name={String(id)}
        facts={job ? <Facts job={job} /> : undefined}
        actions={job ? <CopyButton text={cli.watchProfile(id)} curl={curls.watchProfile(id)} /> : undefined}
      />
      {error && <ProblemNote problem={asProblem(error)} />}
      {!error && !job && <p className="empty late">Loading profiling job {id}</p>}
      {job && <Watch key={job.id} job={job} />}
    </main>
  );
}

function Facts({ job }: { job: ProfilingJob }): ReactNode {
  const now = useNow();
  return (
    <>
      <span className="strong">{titleOf(job)}</span>
      <StateText look={jobLook(job)} code={job.state} />
      <span>
        by {job.created_by}, {ageOrTime(job.created_at, now)}
      </span>
    </>
  );
}

function Watch({ job }: { job: ProfilingJob }): ReactNode {
  const { points, error } = useJobPoints(job);
  const host = useLive((state) => state.hosts.get(job.ask.host));
  const origin = originOf(job, host);
  return (
    <>
      <WaitsFor job={job} />
      {job.error && <ProblemNote problem={job.error} />}
      <div className="columns">
        <div className="main">
          {error && <PartProblem problem={asProblem(error)} />}
          {!points && !error && <p className="empty late">Loading {job.points} points</p>}
          {points && (
            <>
              <DropPlot points={points} origin={origin} />
              <Section
                title="Points"
                note="in measuring order; ± is half of the 95 % interval"
                end={<CopyButton text={cli.profilePoints(job.id)} curl={curls.profilePoints(job.id)} />}
              >
                <PointsTable points={points} origin={origin} most={job.ask.max_samples} />
              </Section>
            </>
          )}
        </div>
        <Side label="Progress, actions and what was asked">
          <JobProgress job={job} points={points ?? []} />
          <Section title="Actions" padded>
            <JobActions job={job} />
          </Section>
          <Fitted job={job} />
          <JobAsk job={job} />
        </Side>
      </div>
    </>
  );
}

/** What it waits for: the cause and the next step are in the note. */
function WaitsFor({ job }: { job: ProfilingJob }): ReactNode {
  if (!job.note || jobEnded(job.state)) return null;
  const paused = job.state === "PAUSED";
  return (
    <div className="banner" role="status">
      <Shape name={paused ? "warn" : "stale"} />
      <span>
        <b className="strong">{paused ? "Paused" : "Waits"}.</b> {job.note}.
      </span>
    </div>
  );
}
