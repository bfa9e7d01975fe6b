/** Beside the points: how far the job is, and what was asked. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ProfilingJob, ProfilingPoint } from "@/api/types";
import { duration, secondsSince, when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { jobEnded } from "@/states/derived";
import { Section } from "@/ui/section";
import { LeftOut } from "./design-view";
import { incompleteText, pointsText } from "./words";

/** More marks than this are narrower than a pixel apart. */
const MARKED = 150;

export function JobProgress({ job, points }: { job: ProfilingJob; points: readonly ProfilingPoint[] }): ReactNode {
  const now = useNow();
  const { seconds_left: left, started_at, finished_at } = job;
  const incomplete = incompleteText(job);
  const final = jobEnded(job.state);
  const took = started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : null;
  return (
    <Section title="Progress" note={`${pointsText(job)}${incomplete ? `, ${incomplete}` : ""}`} padded>
      <Marks job={job} points={points} />
      <dl className="facts">
        {!final && (
          <>
            <dt>Time left</dt>
            <dd>{left == null ? "not known yet" : `about ${duration(left)}`}</dd>
          </>
        )}
        <dt>{final ? "Took" : "Runs for"}</dt>
        <dd>{took !== null ? duration(took) : started_at ? duration(secondsSince(started_at, now)) : "not started"}</dd>
        {job.running != null && (
          <>
            <dt>Now</dt>
            <dd>point {job.running + 1}</dd>
          </>
        )}
        <dt>Requested by</dt>
        <dd>
          {job.created_by}, {when(job.created_at)}
        </dd>
      </dl>
    </Section>
  );
}

/** A mark for each point; of many points a bar. The numbers stand above it. */
function Marks({ job, points }: { job: ProfilingJob; points: readonly ProfilingPoint[] }): ReactNode {
  if (points.length === 0 || points.length > MARKED) {
    const part = job.points > 0 ? (100 * job.done) / job.points : 0;
    return (
      <div className="progress" aria-hidden="true">
        <i className="done" style={{ flexGrow: part, flexBasis: 0 }} />
        <i style={{ flexGrow: 100 - part, flexBasis: 0 }} />
      </div>
    );
  }
  return (
    <div className="progress point-marks" aria-hidden="true">
      {points.map(({ id, state }) => (
        <i key={id} className={state} />
      ))}
    </div>
  );
}

export function JobAsk({ job }: { job: ProfilingJob }): ReactNode {
  const { ask } = job;
  return (
    <Section title="Requested" padded>
      <dl className="facts">
        <dt>NF type</dt>
        <dd>
          <Link to="/nf-types/$name" params={{ name: ask.nf_type }}>
            {ask.nf_type}
          </Link>
          , version {job.nf_version}
        </dd>
        <dt>Host</dt>
        <dd>
          <Link to="/hosts/$id" params={{ id: ask.host }}>
            {ask.host}
          </Link>
        </dd>
        <dt>Host model</dt>
        <dd>{job.host_model}</dd>
        <dt>Packets</dt>
        <dd>
          {ask.packet_bytes} bytes, {ask.flows} flows
        </dd>
        {ask.levels ? (
          <>
            <dt>Rates</dt>
            <dd>{ask.levels.rates_gbps.join(", ")} Gbps</dd>
          </>
        ) : (
          <>
            <dt>Competitors</dt>
            <dd>
              {ask.competitors.length > 0 ? ask.competitors.join(", ") : "chosen from gentle to aggressive"}
              {ask.most_competitors != null && `, at most ${ask.most_competitors}`};{" "}
              {ask.rate_mpps === null ? "as fast as each can" : `${ask.rate_mpps} Mpps each`}
            </dd>
          </>
        )}
        <dt>Interval</dt>
        <dd>
          ± {ask.half_width_percent} %, at most {ask.max_samples} samples of {ask.seconds} s
        </dd>
      </dl>
      <LeftOut reasons={job.left_out ?? []} />
    </Section>
  );
}
