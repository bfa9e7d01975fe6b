/** Jobs and points in words, each with its shape. */

import type { ReactNode } from "react";
import type { HostView, JobState, PointState, ProfilingJob } from "@/api/types";
import { WireName } from "@/operations/words";
import { type Origin, Shape, type ShapeName } from "@/ui/marks";

const JOBS: Record<JobState, { shape: ShapeName | null; words: string }> = {
  QUEUED: { shape: "running", words: "queued" },
  PROCESSING: { shape: "running", words: "measuring" },
  PAUSED: { shape: "warn", words: "paused" },
  COMPLETED: { shape: "ok", words: "completed" },
  FAILED: { shape: "bad", words: "failed" },
  CANCELLED: { shape: "idle", words: "cancelled" },
};

const POINTS: Record<PointState, { shape: ShapeName | null; words: string }> = {
  waiting: { shape: null, words: "waits" },
  running: { shape: "running", words: "measuring" },
  done: { shape: null, words: "measured" },
  not_measurable: { shape: "idle", words: "not measurable" },
  failed: { shape: "bad", words: "failed" },
  skipped: { shape: "idle", words: "skipped" },
};

export function isFinal(state: JobState): boolean {
  return state === "COMPLETED" || state === "FAILED" || state === "CANCELLED";
}

/** Completed with points of which nothing is known. */
const IN_PART = { shape: "warn", words: "completed in part" } as const;

export function JobStateText(props: {
  job: Pick<ProfilingJob, "state" | "failed" | "not_measurable">;
  wire?: boolean;
}): ReactNode {
  const { job, wire = true } = props;
  const { state } = job;
  const partly = state === "COMPLETED" && job.failed + (job.not_measurable ?? 0) > 0;
  const { shape, words } = partly ? IN_PART : JOBS[state];
  return (
    <span className={`nowrap ${shape === "bad" || shape === "warn" ? shape : ""}`}>
      {shape && <Shape name={shape} />}
      {words} {wire && <WireName state={state} words={words} />}
    </span>
  );
}

export function PointStateText({ state, reused }: { state: PointState; reused: boolean }): ReactNode {
  const { shape, words } = POINTS[state];
  const tone = state === "failed" ? "bad" : state === "waiting" || state === "skipped" ? "t3" : "";
  return (
    <span className={`nowrap ${tone}`}>
      {shape && <Shape name={shape} />}
      {reused ? "known" : words}
    </span>
  );
}

/** "9 not measurable, 1 failed"; null where every point that is done was measured. */
export function untoldText({ not_measurable: untold = 0, failed }: ProfilingJob): string | null {
  const parts = [untold > 0 && `${untold} not measurable`, failed > 0 && `${failed} failed`].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : null;
}

export function titleOf({ ask }: ProfilingJob): string {
  return `Profile ${ask.nf_type} on ${ask.host}`;
}

/** What the figures of a job are: as its host's. A host that left the fleet tells by its model. */
export function originOf(job: ProfilingJob, host: HostView | undefined): Origin {
  return host?.provenance ?? (job.host_model.includes("(simulated)") ? "simulated" : "measured");
}
