/** Profiling jobs of an NF type on a host model, newest first, and starting another. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { jobsOfTypeQuery } from "@/api/model-queries";
import { asProblem } from "@/api/problem";
import type { ProfilingJob } from "@/api/types";
import { duration, when } from "@/lib/format";
import { useLive } from "@/live/store";
import { mergedJobs } from "@/profiling/jobs-table";
import { StartProfile } from "@/profiling/start-profile";
import { incompleteText } from "@/profiling/words";
import { jobEnded, jobLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { PagedTable } from "@/ui/pager";
import { PartProblem } from "@/ui/part-problem";
import { Section } from "@/ui/section";
import type { Column } from "@/ui/table";

const COLUMNS: readonly Column<ProfilingJob>[] = [
  {
    key: "job",
    head: "Job",
    cell: ({ id, ask, created_at }) => (
      <>
        <Link to="/profiling/$id" params={{ id: String(id) }}>
          {id}
        </Link>{" "}
        {ask.levels && "for levels "}on {ask.host}
        <div className="t3 nowrap">{when(created_at)}</div>
      </>
    ),
  },
  { key: "state", head: "State", cell: (job) => <State job={job} /> },
  {
    key: "points",
    head: "Points",
    align: "right",
    cell: ({ done, points, grid_points, state, seconds_left }) => (
      <>
        {done} of {grid_points ?? points}
        {!jobEnded(state) && seconds_left != null && <div className="t3 nowrap">{duration(seconds_left)} left</div>}
      </>
    ),
  },
];

export function JobsSide(props: { nfType: string; hostModel: string; host: string | undefined }): ReactNode {
  const { nfType, hostModel, host } = props;
  const stored = useQuery(jobsOfTypeQuery(nfType));
  const live = useLive((state) => state.profiling);
  const jobs = mergedJobs(stored.data?.items ?? [], live, nfType).filter((job) => job.host_model === hostModel);
  return (
    <Section
      title="Profiling"
      note={jobs.length === 0 ? "" : jobs.length}
      end={
        host && <StartProfile nfType={nfType} host={host} label={jobs.length > 0 ? "Profile again" : "Profile"} small />
      }
    >
      {stored.error && <PartProblem problem={asProblem(stored.error)} />}
      {jobs.length > 0 && (
        <PagedTable label="Profiling jobs" columns={COLUMNS} rows={jobs} rowKey={({ id }) => id} size={5} one="job" />
      )}
      {stored.data && jobs.length === 0 && <p className="section-body t2">Never profiled on this host model.</p>}
    </Section>
  );
}

function State({ job }: { job: ProfilingJob }): ReactNode {
  const { state, note, error } = job;
  const cause = error?.title ?? (jobEnded(state) ? incompleteText(job) : note);
  return (
    <>
      <StateText look={jobLook(job)} />
      {cause && <div className="t2">{cause}</div>}
    </>
  );
}
