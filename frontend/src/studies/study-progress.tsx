/** How far a study is, how long it will take, and what it does now. */

import type { ReactNode } from "react";
import type { Study } from "@/api/types";
import { count, duration, secondsSince, when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { studyEnded } from "@/states/derived";
import { Section } from "@/ui/section";

/** More steps than these are a bar: marks would be narrower than a pixel apart. */
const MARKED = 120;

export function StudyProgress({ study }: { study: Study }): ReactNode {
  const now = useNow();
  const { progress, started_at, finished_at } = study;
  const ended = studyEnded(study.state);
  const took = started_at && finished_at ? (Date.parse(finished_at) - Date.parse(started_at)) / 1000 : null;
  return (
    <Section title="Progress" note={stepsText(study)} padded>
      {progress && study.state !== "done" && <Marks done={progress.done} of={progress.of} running={!ended} />}
      <dl className="facts" role={ended ? undefined : "status"}>
        {!ended && (
          <>
            <dt>Now</dt>
            <dd>{nowText(study)}</dd>
            <dt>Time left</dt>
            <dd>{progress?.seconds_left == null ? "not known yet" : `about ${duration(progress.seconds_left)}`}</dd>
          </>
        )}
        <dt>{ended ? "Took" : "Runs for"}</dt>
        <dd>{took !== null ? duration(took) : started_at ? duration(secondsSince(started_at, now)) : "not started"}</dd>
        {study.attempts > 1 && (
          <>
            <dt>Attempts</dt>
            <dd>{study.attempts}; an earlier worker was interrupted</dd>
          </>
        )}
        <dt>Requested by</dt>
        <dd>
          {study.created_by}, {when(study.created_at)}
        </dd>
      </dl>
    </Section>
  );
}

/** "3 of 18 steps"; what is done has done them all. */
export function stepsText({ progress, state }: Study): string {
  if (!progress) return state === "running" ? "starts" : "not started";
  return state === "done" ? count(progress.of, "step") : `${progress.done} of ${count(progress.of, "step")}`;
}

function nowText({ cancel_requested, state, progress }: Study): string {
  if (cancel_requested) return "being cancelled";
  if (state === "queued") return "waits for a worker: one study runs at a time";
  return progress?.what ?? "starts";
}

/** The numbers stand above it. */
function Marks({ done, of, running }: { done: number; of: number; running: boolean }): ReactNode {
  if (of > MARKED) return <progress className="study-bar" value={done} max={of} aria-hidden="true" />;
  return (
    <div className="progress" aria-hidden="true">
      {Array.from({ length: of }, (_, step) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a step is its number
        <i key={step} className={step < done ? "done" : step === done && running ? "running" : ""} />
      ))}
    </div>
  );
}
