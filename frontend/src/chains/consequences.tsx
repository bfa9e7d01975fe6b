/** What a prediction of a chain says, part by part: of one that is drawn, and of one that would get other settings. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ChainPrediction, NewChainPrediction } from "@/api/types";
import { count, figure } from "@/lib/format";
import { chooserOf } from "@/plans/status";
import { intervalText } from "@/trust/words";
import { Figure, Shape } from "@/ui/marks";
import { type Column, Table } from "@/ui/table";

export type Consequences = Pick<
  NewChainPrediction,
  "host" | "prediction" | "unmeasured" | "affected" | "others_mpps" | "next_actions"
>;

/** More would push what is edited off the page. */
const MOST_WARNINGS = 3;

export function Throughput({ answer }: { answer: Consequences }): ReactNode {
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
      <ByChooser prediction={found} />
    </>
  );
}

/** Another predictor's value, where its place was chosen by that. */
function ByChooser({ prediction }: { prediction: ChainPrediction }): ReactNode {
  const chooser = chooserOf(prediction);
  if (chooser === null) return null;
  const { by, figures } = chooser;
  return (
    <div className="t3">
      <Figure
        origin="predicted"
        value={figures.throughput_mpps}
        unit="Mpps"
        low={figures.low_mpps}
        high={figures.high_mpps}
      />{" "}
      by {by}, which placed it
    </div>
  );
}

function whyNone({ unmeasured, host, prediction }: Consequences): string {
  if (unmeasured.length === 0) return prediction?.note ?? "no model holds there";
  return `${unmeasured.join(", ")} ${unmeasured.length > 1 ? "were" : "was"} never measured on ${host}'s model`;
}

export function Limits({ answer }: { answer: Consequences }): ReactNode {
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
export function others({ others_mpps: change, affected }: Consequences): string {
  if (affected.length === 0) return change === null ? "not predicted" : "none would do worse";
  const sum = change === null ? "" : `, ${figure(Math.abs(change))} Mpps ${change < 0 ? "less" : "more"} in all`;
  return `${count(affected.length, "chain")} would do worse${sum}`;
}

export function NextSteps({ answer }: { answer: Consequences }): ReactNode {
  if (answer.next_actions.length === 0) return null;
  return (
    <p className="t2">
      To have figures, on the page <Link to="/profiling">Profiling</Link> or by command:{" "}
      {answer.next_actions.map(({ label, command }) => (
        <span key={label} className="block">
          {label}: <code className="command">{command}</code>
        </span>
      ))}
    </p>
  );
}

type Row = Consequences["affected"][number];

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

export function Affected({ answer }: { answer: Consequences }): ReactNode {
  return (
    <Table label="Chains that would do worse" columns={COLUMNS} rows={answer.affected} rowKey={(row) => row.chain} />
  );
}

export function Warnings({ texts }: { texts: readonly string[] }): ReactNode {
  return texts.slice(0, MOST_WARNINGS).map((text) => (
    <p key={text} className="t2">
      <Shape name="warn" /> {text}.
    </p>
  ));
}
