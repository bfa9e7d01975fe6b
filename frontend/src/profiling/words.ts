/** Profiling jobs in words. Pure. */

import type { HostView, ProfilingJob } from "@/api/types";
import type { Origin } from "@/ui/marks";

/** "9 not measurable, 1 failed"; null where every point that is done was measured. */
export function incompleteText({ not_measurable: missing = 0, failed }: ProfilingJob): string | null {
  const parts = [missing > 0 && `${missing} not measurable`, failed > 0 && `${failed} failed`].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : null;
}

export function titleOf({ ask }: ProfilingJob): string {
  if (ask.shares) return `Shares of ${ask.nf_type} on ${ask.host}`;
  return ask.levels ? `Levels of ${ask.nf_type} on ${ask.host}` : `Profile ${ask.nf_type} on ${ask.host}`;
}

/** "12 of 80 points"; of a job for levels "31 of a grid of 200 points", since it measures far from all. */
export function pointsText({ ask, done, points, grid_points: grid }: ProfilingJob): string {
  if (ask.shares) return `${done} of ${grid ?? points} points`;
  return grid == null ? `${done} of ${points} points` : `${done} of a grid of ${grid} points`;
}

/** What the figures of a job are: as its host's; of a host that left the fleet, as its host model says. */
export function originOf(job: ProfilingJob, host: HostView | undefined): Origin {
  return host?.provenance ?? (job.host_model.includes("(simulated)") ? "simulated" : "measured");
}
