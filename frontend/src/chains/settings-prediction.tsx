/** What the settings that are typed would do if they were applied now, below the fields of the adjust panel. */

import type { ReactNode } from "react";
import type { SettingsPrediction as Found } from "@/api/types";
import { figure } from "@/lib/format";
import { Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Affected, Limits, NextSteps, others, Throughput, Warnings } from "./consequences";
import type { SettingsForesight } from "./use-settings-prediction";

/** `changed`: there is something to predict; `broken`: fields that are wrong. */
export function SettingsPrediction(props: {
  foresight: SettingsForesight;
  changed: boolean;
  broken: readonly string[];
}): ReactNode {
  const { foresight, changed, broken } = props;
  const { answer, stale, problem } = foresight;
  if (!changed && broken.length === 0) return null;
  const waiting = changed && answer === undefined && problem === null;
  return (
    <section
      className="settings-prediction"
      aria-label="Prediction"
      aria-live="polite"
      aria-busy={changed && stale && problem === null}
    >
      <h3>
        Prediction{" "}
        <span className="t3">{stale && answer && changed ? "of the former settings" : "if it were adjusted now"}</span>
      </h3>
      {broken.length > 0 && <p className="t2">No prediction until these fields are correct: {broken.join(", ")}.</p>}
      {waiting && <p className="t2">Predicting</p>}
      {problem && <ProblemNote problem={problem} />}
      {changed && answer && (
        <div className={stale ? "former-answer" : undefined}>
          <Answer answer={answer} />
        </div>
      )}
    </section>
  );
}

function Answer({ answer }: { answer: Found }): ReactNode {
  if (answer.effect === "specification") {
    return (
      <p className="t2">It runs on no host: only its specification would change, and it would be planned again.</p>
    );
  }
  if (answer.rejected) {
    return (
      <>
        <p className="bad">
          <Shape name="bad" /> Cannot be applied: {answer.rejected.reason}.
        </p>
        {answer.rejected.relax && <p>Next step: {answer.rejected.relax}.</p>}
      </>
    );
  }
  if (answer.effect === "nothing") return <p className="t2">Nothing would change: it has these settings already.</p>;
  return (
    <>
      <dl className="facts">
        <dt>Throughput</dt>
        <dd>
          <Throughput answer={answer} />
          <Before answer={answer} />
        </dd>
        <Limits answer={answer} />
        <dt>Other chains</dt>
        <dd>{others(answer)}</dd>
      </dl>
      <NextSteps answer={answer} />
      {answer.affected.length > 0 && <Affected answer={answer} />}
      <Warnings texts={answer.warnings} />
    </>
  );
}

/** By the same models, with the settings that it has. */
function Before({ answer: { before_mpps: before } }: { answer: Found }): ReactNode {
  return before == null ? null : <div className="t3">{figure(before)} Mpps with its present settings</div>;
}
