/** What the chain that is drawn would do: where it would stand, what it would carry, which chains it would slow down. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ChainPrediction, NewChainPrediction } from "@/api/types";
import { count, figure } from "@/lib/format";
import { intervalText } from "@/trust/words";
import { Figure, Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { type Foresight, UNNAMED } from "./use-new-chain";

/** More would push the configuration off the page. */
const MOST_WARNINGS = 3;

export function NewChainSection({ foresight, empty }: { foresight: Foresight; empty: boolean }): ReactNode {
  const { answer, stale, problem, errors } = foresight;
  const fields = errors.map((error) => error.field).join(", ");
  return (
    <Section
      title="Prediction"
      note={stale && answer && !empty ? "of the chain before the last change" : "if it were submitted now"}
    >
      <div className="section-body" aria-live="polite" aria-busy={stale && problem === null}>
        {empty && <p className="t2">Add an NF to see where the chain would stand and what it would carry.</p>}
        {!empty && errors.length > 0 && <p className="t2">No prediction until these fields are correct: {fields}.</p>}
        {!empty && errors.length === 0 && answer === undefined && problem === null && <p className="t2">Predicting</p>}
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
      {answer.warnings.slice(0, MOST_WARNINGS).map((warning) => (
        <p key={warning} className="t2">
          <Shape name="warn" /> {warning.replaceAll(`${UNNAMED}.`, "")}.
        </p>
      ))}
    </>
  );
}

function Throughput({ answer }: { answer: NewChainPrediction }): ReactNode {
  const found = answer.prediction;
  if (!found || found.throughput_mpps === null) {
    return <span>No prediction: {whyNone(answer)}.</span>;
  }
  const origin = found.provenance === "assumed" ? "assumed" : "predicted";
  const interval =
    found.low_mpps == null ? "no interval: nothing was measured that would give one" : intervalText(found);
  return (
    <>
      <Figure origin={origin} value={found.throughput_mpps} unit="Mpps" low={found.low_mpps} high={found.high_mpps} />{" "}
      <span className="t3">{interval}</span>
      {found.by_curves && <ByCurves figures={found.by_curves} />}
    </>
  );
}

/** The second predictor's value, where its place was chosen by that. */
function ByCurves({ figures }: { figures: NonNullable<ChainPrediction["by_curves"]> }): ReactNode {
  return (
    <div className="t3">
      <Figure
        origin="predicted"
        value={figures.throughput_mpps}
        unit="Mpps"
        low={figures.low_mpps}
        high={figures.high_mpps}
      />{" "}
      by pressure curves, which placed it
    </div>
  );
}

function whyNone({ unmeasured, host, prediction }: NewChainPrediction): string {
  if (unmeasured.length === 0) return prediction?.note ?? "no model holds there";
  return `${unmeasured.join(", ")} ${unmeasured.length > 1 ? "were" : "was"} never measured on ${host}'s model`;
}

function Limits({ answer }: { answer: NewChainPrediction }): ReactNode {
  const { prediction: found, unmeasured } = answer;
  if (!found || found.throughput_mpps === null) return null;
  return (
    <>
      {found.bottleneck && (
        <>
          <dt>Limited by</dt>
          <dd>{found.bottleneck.slice(found.bottleneck.indexOf(".") + 1)}</dd>
        </>
      )}
      {found.throughput_slo === "missed" && (
        <>
          <dt>Objective</dt>
          <dd className="bad">
            <Shape name="bad" /> throughput would be missed
          </dd>
        </>
      )}
      {unmeasured.length > 0 && (
        <>
          <dt>Assumed</dt>
          <dd>
            {unmeasured.join(", ")}: never measured on {answer.host}'s model
          </dd>
        </>
      )}
    </>
  );
}

/** "would lose 0.7 Mpps in all". */
function others({ others_mpps: change, affected }: NewChainPrediction): string {
  if (affected.length === 0) return change === null ? "not predicted" : "none would do worse";
  const sum = change === null ? "" : `, ${figure(Math.abs(change))} Mpps ${change < 0 ? "less" : "more"} in all`;
  return `${count(affected.length, "chain")} would do worse${sum}`;
}

function NextSteps({ answer }: { answer: NewChainPrediction }): ReactNode {
  if (answer.next_actions.length === 0) return null;
  return (
    <p className="t2">
      Measure {answer.unmeasured.length > 1 ? "them" : "it"} on the page <Link to="/profiling">Profiling</Link>, or by
      command:{" "}
      {answer.next_actions.map((action) => (
        <code key={action.label} className="command">
          {action.command}
        </code>
      ))}
    </p>
  );
}

type Row = NewChainPrediction["affected"][number];

const COLUMNS: readonly Column<Row>[] = [
  { key: "chain", head: "Chain", cell: (row) => row.chain, rowHead: true },
  { key: "now", head: "now, Mpps", align: "right", cell: (row) => predictedFigure(row, row.before_mpps) },
  {
    key: "then",
    head: "then, Mpps",
    align: "right",
    cell: (row) => predictedFigure(row, row.after_mpps, row.low_mpps, row.high_mpps),
  },
  {
    key: "what",
    head: "What",
    cell: (row) => (
      <>
        {row.breaks_slo && (
          <span className="bad">
            <Shape name="bad" /> objective would be missed{" "}
          </span>
        )}
        {row.longer}
      </>
    ),
  },
];

function predictedFigure(row: Row, value: number | null, low?: number | null, high?: number | null): ReactNode {
  return <Figure origin={row.provenance === "assumed" ? "assumed" : "predicted"} value={value} low={low} high={high} />;
}

function Affected({ answer }: { answer: NewChainPrediction }): ReactNode {
  return (
    <Table label="Chains that would do worse" columns={COLUMNS} rows={answer.affected} rowKey={(row) => row.chain} />
  );
}
