/** How each predictor did on samples that were held out of its fit, beside the null models. */

import { type ReactNode, useState } from "react";
import type { ValidationScore } from "@/api/types";
import { figure, percent } from "@/lib/format";
import { predictorName } from "@/trust/words";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { type Column, Table } from "@/ui/table";
import { bestOf, isNull } from "./scores";

type Split = ValidationScore["split"];

export function ScoresSection(props: {
  scores: readonly ValidationScore[];
  /** Whose they are: one NF type's, or those of all. */
  of: string;
}): ReactNode {
  const held = props.scores.filter(({ samples, unpredicted }) => samples > 0 || (unpredicted ?? 0) > 0);
  const splits = (["mix", "nf"] as const).filter((split) => held.some((score) => score.split === split));
  const [wanted, setSplit] = useState<Split>("mix");
  const split = splits.find((each) => each === wanted) ?? splits[0];
  if (!split) {
    return (
      <Section title="Error on held-out samples">
        <p className="section-body t2">Too few samples to hold any out, so its error is unknown.</p>
      </Section>
    );
  }
  const scores = held.filter((score) => score.split === split);
  return (
    <Section
      title="Error on held-out samples"
      note={`of ${props.of}; mean absolute error of the drop${onTheSame(scores)}`}
      end={
        <Segmented<Split>
          label="Held out by"
          value={split}
          options={splits.map((key) => ({ key, text: key === "mix" ? "By mix" : "By NF type" }))}
          onChange={setSplit}
        />
      }
    >
      <Table
        label="Held-out error"
        columns={columnsOf(scores)}
        rows={inOrder(scores)}
        rowKey={(score) => score.predictor}
      />
    </Section>
  );
}

function columnsOf(scores: readonly ValidationScore[]): readonly Column<ValidationScore>[] {
  const best = bestOf(scores);
  return [
    {
      key: "predictor",
      head: "Predictor",
      cell: ({ predictor }) => <span className={isNull(predictor) ? "t2" : ""}>{predictorName(predictor)}</span>,
    },
    {
      key: "points",
      head: "Error, points",
      align: "right",
      cell: (score) =>
        score === best ? <b className="strong">{figure(score.error_points)}</b> : figure(score.error_points),
    },
    {
      key: "p95",
      head: "95th percentile",
      align: "right",
      secondRank: true,
      cell: (score) => figure(score.error_p95_points),
    },
    {
      key: "relative",
      head: "Of drops ≥ 5 points, %",
      align: "right",
      cell: ({ relative_percent }) => percent(relative_percent),
    },
    {
      key: "throughput",
      head: "Of throughput, %",
      align: "right",
      secondRank: true,
      cell: ({ throughput_percent }) => percent(throughput_percent),
    },
    {
      key: "coverage",
      head: "Inside 95 % interval, %",
      align: "right",
      cell: ({ coverage_percent }) => percent(coverage_percent),
    },
    {
      key: "width",
      head: "Median width, points",
      align: "right",
      cell: ({ median_width_points }) => figure(median_width_points),
    },
    { key: "samples", head: "Samples", align: "right", cell: samplesText },
  ];
}

/** Fits of an earlier version scored each predictor on all that it predicted. */
function onTheSame(scores: readonly ValidationScore[]): string {
  return scores.some(({ unpredicted }) => unpredicted) ? ", on samples that all of them predict" : "";
}

/** "14, 26 not predicted": such samples count for no predictor. */
function samplesText({ samples, unpredicted }: ValidationScore): string {
  return unpredicted ? `${samples}, ${unpredicted} not predicted` : String(samples);
}

/** Predictors before null models, each by its name. */
function inOrder(scores: readonly ValidationScore[]): readonly ValidationScore[] {
  const rank = ({ predictor }: ValidationScore) => Number(isNull(predictor));
  return [...scores].sort((a, b) => rank(a) - rank(b) || a.predictor.localeCompare(b.predictor));
}
