/** Every predictor's error beside the others', with the spread of its differences drawn in its row on one scale. */

import { type ReactNode, useMemo } from "react";
import type { PlacementSummary } from "@/api/types";
import { signed, thousands, tick } from "@/lib/format";
import { isNull } from "@/nf-types/scores";
import { predictorName } from "@/trust/words";
import { type Scale, scaleOf } from "@/ui/plot-geometry";
import { type Column, Table } from "@/ui/table";
import { differencesOf, type Spread, type StudyPrediction, spreadOf } from "./differences";
import { EstimateFigure } from "./estimate";

const [W, H] = [240, 20];

type Errors = PlacementSummary["predictors"][number];

interface Row extends Errors {
  readonly spread: Spread | null;
  readonly chains: number;
}

export function ErrorsTable(props: {
  errors: readonly Errors[];
  rows: readonly StudyPrediction[];
  chosen: string;
}): ReactNode {
  const { errors, rows: chains, chosen } = props;
  const rows = useMemo(
    () =>
      errors.map((each): Row => {
        const differences = differencesOf(chains, each.predictor);
        return { ...each, spread: spreadOf(differences), chains: differences.length };
      }),
    [errors, chains],
  );
  const scale = scaleOf(
    rows.flatMap(({ spread }) => (spread ? [spread.low, spread.high] : [])),
    8,
  );
  return (
    <Table label="Predictors" columns={columnsOf(scale, chosen)} rows={rows} rowKey={({ predictor }) => predictor} />
  );
}

function columnsOf(scale: Scale, chosen: string): readonly Column<Row>[] {
  return [
    {
      key: "predictor",
      head: "Predictor",
      cell: ({ predictor }) => (
        <span className={predictor === chosen ? "strong" : isNull(predictor) ? "t2" : ""}>
          {predictorName(predictor)}
        </span>
      ),
    },
    {
      key: "points",
      head: "Error of the drop, points",
      align: "right",
      cell: ({ points }) => <EstimateFigure of={points} />,
    },
    {
      key: "throughput",
      head: "Of throughput, %",
      align: "right",
      cell: ({ throughput_percent }) => <EstimateFigure of={throughput_percent} />,
    },
    {
      key: "relative",
      head: "Of drops ≥ 5 points, %",
      align: "right",
      cell: ({ relative_percent }) => <EstimateFigure of={relative_percent} />,
    },
    {
      key: "spread",
      head: `Carried − predicted, ${tick(scale.low)} to ${tick(scale.high)} points`,
      cell: ({ spread, predictor }) => spread && <SpreadStrip spread={spread} predictor={predictor} scale={scale} />,
    },
    { key: "chains", head: "Chains", align: "right", secondRank: true, cell: ({ chains }) => thousands(chains) },
  ];
}

/** The middle, the inner half and 95 % of the differences. */
function SpreadStrip(props: { spread: Spread; predictor: string; scale: Scale }): ReactNode {
  const { spread, predictor, scale } = props;
  const { low, quarter, middle, threeQuarters, high } = spread;
  const x = (value: number) => 4 + ((value - scale.low) / (scale.high - scale.low)) * (W - 8);
  const half = `half between ${signed(quarter)} and ${signed(threeQuarters)}`;
  const text = `${predictorName(predictor)}: median ${signed(middle)}, ${half}, 95 % between ${signed(low)} and ${signed(high)} points`;
  return (
    <svg className="chart spread-strip" viewBox={`0 0 ${W} ${H}`} width={W} height={H} role="img" aria-label={text}>
      <title>{text}</title>
      <line className="zero" x1={x(0)} x2={x(0)} y1={0} y2={H} />
      <line className="reach" x1={x(low)} x2={x(high)} y1={H / 2} y2={H / 2} />
      <rect
        className="inner"
        x={x(quarter)}
        width={Math.max(1, x(threeQuarters) - x(quarter))}
        y={H / 2 - 4}
        height={8}
      />
      <line className="middle" x1={x(middle)} x2={x(middle)} y1={H / 2 - 6} y2={H / 2 + 6} />
    </svg>
  );
}
