/** Studies in words, each state with its shape. */

import type { ReactNode } from "react";
import type { Study, StudyState } from "@/api/types";
import { Shape, type ShapeName } from "@/ui/marks";

const STATES: Record<StudyState, { shape: ShapeName; words: string }> = {
  queued: { shape: "running", words: "queued" },
  running: { shape: "running", words: "running" },
  done: { shape: "ok", words: "done" },
  failed: { shape: "bad", words: "failed" },
  refused: { shape: "bad", words: "refused" },
  cancelled: { shape: "idle", words: "cancelled" },
};

export const STUDY_STATES = Object.keys(STATES) as StudyState[];

export function isStudyState(text: unknown): text is StudyState {
  return typeof text === "string" && Object.hasOwn(STATES, text);
}

export function hasEnded(state: StudyState): boolean {
  return state !== "queued" && state !== "running";
}

export function StudyStateText({ study }: { study: Study }): ReactNode {
  const { shape, words } = STATES[study.state];
  const stopping = study.cancel_requested && !hasEnded(study.state);
  return (
    <span className={`nowrap ${shape === "bad" ? "bad" : ""}`}>
      <Shape name={shape} />
      {stopping ? "is being cancelled" : words}
    </span>
  );
}

/** What became of a repetition; nothing where it is none, or not done. */
export function RepeatedText({ study }: { study: Study }): ReactNode {
  const { repeated } = study;
  if (!repeated) return null;
  if (repeated.equal) {
    return (
      <span className="nowrap">
        <Shape name="ok" />
        equal in every figure
      </span>
    );
  }
  const differs = repeated.differs.map(originName);
  return (
    <span className="warn">
      <Shape name="warn" />
      figures differ{differs.length > 0 ? `; so do ${differs.join(", ")}` : ", and nothing else does"}
    </span>
  );
}

/** Fields of an origin as a person calls them. */
const ORIGIN: Readonly<Record<string, string>> = {
  lab: "lab",
  python: "Python",
  numpy: "NumPy",
  scipy: "SciPy",
  engine_core: "core of the engine",
  twin_core: "core of the twin",
  calibration: "calibration",
  data: "machines and NFs",
  scenario: "scenario",
};

export function originName(field: string): string {
  return ORIGIN[field] ?? field;
}
