/** Profiling jobs as a table, and what was fetched of them brought up to date by the stream. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ProfilingSort } from "@/api/sorts";
import type { ProfilingJob } from "@/api/types";
import { DASH, duration, when } from "@/lib/format";
import { jobEnded, jobLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { incompleteText } from "./words";

const COLUMNS: readonly ServerSorted<ProfilingJob, ProfilingSort>[] = [
  {
    key: "id",
    head: "Job",
    sorts: ["id", "-id"],
    cell: ({ id }) => (
      <Link className="whole-cell" to="/profiling/$id" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  {
    key: "type",
    head: "NF type",
    sorts: ["nf_type", "-nf_type"],
    cell: ({ ask, nf_version }) => (
      <span className="nowrap">
        <Link to="/nf-types/$name" params={{ name: ask.nf_type }}>
          {ask.nf_type}
        </Link>{" "}
        <span className="t3">version {nf_version}</span>
      </span>
    ),
  },
  {
    key: "host",
    head: "Host",
    sorts: ["host", "-host"],
    cell: ({ ask }) => (
      <Link className="nowrap" to="/hosts/$id" params={{ id: ask.host }}>
        {ask.host}
      </Link>
    ),
  },
  { key: "model", head: "Host model", secondRank: true, cell: ({ host_model }) => host_model },
  {
    key: "state",
    head: "State",
    sorts: ["state", "-state"],
    cell: (job) => <StateText look={jobLook(job)} code={job.state} />,
  },
  {
    key: "points",
    head: "Points",
    align: "right",
    cell: (job) => {
      const incomplete = incompleteText(job);
      return (
        <>
          {job.done} of {job.grid_points ?? job.points}
          {incomplete && <span className={job.failed > 0 ? "bad" : "warn"}>, {incomplete}</span>}
        </>
      );
    },
  },
  {
    key: "left",
    head: "Time left",
    align: "right",
    cell: ({ state, seconds_left }) => (jobEnded(state) || seconds_left == null ? DASH : duration(seconds_left)),
  },
  {
    key: "waits",
    head: "Waits for",
    cell: ({ note, error, state }) => error?.title ?? (jobEnded(state) ? DASH : (note ?? DASH)),
  },
  { key: "fit", head: "Fit", align: "right", secondRank: true, cell: ({ fit_id }) => fit_id ?? DASH },
  { key: "by", head: "By", secondRank: true, cell: ({ created_by }) => created_by },
  { key: "at", head: "Requested", cell: ({ created_at }) => when(created_at) },
];

export function JobsTable(props: { jobs: readonly ProfilingJob[] } & Sorting<ProfilingSort>): ReactNode {
  const columns = sortedHeads(COLUMNS, props);
  return <Table label="Profiling jobs" columns={columns} rows={props.jobs} rowKey={({ id }) => id} />;
}

/** Those that wait for somebody first, then the newest. `only`: of this NF type. */
export function mergedJobs(
  fetched: readonly ProfilingJob[],
  live: ReadonlyMap<number, ProfilingJob>,
  only?: string,
): ProfilingJob[] {
  const all = new Map(fetched.map((job) => [job.id, job]));
  for (const [id, job] of live) {
    const known = all.get(id);
    if ((!known || job.version >= known.version) && (!only || job.ask.nf_type === only)) all.set(id, job);
  }
  const waits = ({ state }: ProfilingJob) => Number(state === "PAUSED");
  return [...all.values()].sort((a, b) => waits(b) - waits(a) || b.id - a.id);
}
