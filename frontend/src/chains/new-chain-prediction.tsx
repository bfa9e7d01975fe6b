/** What the chain that is drawn would do: where it would stand, what it would carry, which chains it would slow down. */

import type { ReactNode } from "react";
import type { NewChainPrediction } from "@/api/types";
import { Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Affected, Limits, NextSteps, others, Throughput, Warnings } from "./consequences";
import { type Foresight, UNNAMED } from "./use-new-chain";

export function NewChainSection({ foresight, empty }: { foresight: Foresight; empty: boolean }): ReactNode {
  const { stale, problem, errors, several } = foresight;
  const answer = several ? undefined : foresight.answer;
  const fields = errors.map((error) => error.field).join(", ");
  return (
    <Section
      title="Prediction"
      note={stale && answer && !empty ? "of the chain before the last change" : "if it were submitted now"}
    >
      <div className="section-body" aria-live="polite" aria-busy={stale && problem === null}>
        {empty && <p className="t2">Add an NF to see where the chain would stand and what it would carry.</p>}
        {!empty && errors.length > 0 && <p className="t2">No prediction until these fields are correct: {fields}.</p>}
        {!empty && several && errors.length === 0 && (
          <p className="t2">
            Nothing is predicted of a chain over several hosts before it is submitted: its plan says it of each part.
          </p>
        )}
        {!empty && !several && errors.length === 0 && answer === undefined && problem === null && (
          <p className="t2">Predicting</p>
        )}
        {problem && <ProblemNote problem={problem} />}
        {!empty && answer && (
          <div className={stale ? "former-answer" : undefined}>
            <Answer answer={answer} />
          </div>
        )}
      </div>
    </Section>
  );
}

function Answer({ answer }: { answer: NewChainPrediction }): ReactNode {
  if (answer.rejected) {
    return (
      <>
        <p className="bad">
          <Shape name="bad" /> No room: {answer.rejected.reason}.
        </p>
        {answer.rejected.relax && <p>Next step: {answer.rejected.relax}.</p>}
      </>
    );
  }
  return (
    <>
      <dl className="facts">
        <dt>Host</dt>
        <dd>{answer.host}</dd>
        <dt>Throughput</dt>
        <dd>
          <Throughput answer={answer} />
        </dd>
        <Limits answer={answer} />
        <dt>Other chains</dt>
        <dd>{others(answer)}</dd>
      </dl>
      <NextSteps answer={answer} />
      {answer.affected.length > 0 && <Affected answer={answer} />}
      {answer.stopped && (
        <p className="t2">The search was ended by its time: a plan searches longer, and may find better.</p>
      )}
      <Warnings texts={answer.warnings.map((text) => text.replaceAll(`${UNNAMED}.`, ""))} />
    </>
  );
}
