/** Algorithms by what they would have carried more than what ran: one row an algorithm, all margins on one scale. */

import type { ReactNode } from "react";
import type { AlgorithmRank } from "@/api/types";
import { marginInterval, marginRange, marginText, secondsWords } from "@/recommendations/race-words";
import { Mark, type Origin } from "@/ui/marks";
import { type Column, Table } from "@/ui/table";

const [W, H, MIDDLE] = [160, 16, 8];

export function RankingTable(props: { ranks: readonly AlgorithmRank[]; ran: Origin }): ReactNode {
  const { ranks, ran } = props;
  const range = marginRange(ranks);
  const columns: readonly Column<AlgorithmRank>[] = [
    { key: "algorithm", head: "Algorithm", cell: ({ algorithm }) => algorithm },
    {
      key: "margin",
      head: "Mean margin over the applied plan",
      align: "right",
      cell: (rank) => (
        <span className="nowrap">
          {rank.margin_percent !== null && <Mark origin={originOf(rank, ran)} />}
          <b className="strong">{marginText(rank.margin_percent)}</b>{" "}
          <span className="interval">{marginInterval(rank)}</span>
        </span>
      ),
    },
    { key: "drawn", head: "", cell: (rank) => <Strip rank={rank} range={range} origin={originOf(rank, ran)} /> },
    ...LAST,
  ];
  return (
    <div className="wide-table">
      <Table
        label="Algorithms by margin over the applied plan"
        columns={columns}
        rows={ranks}
        rowKey={({ algorithm }) => algorithm}
      />
    </div>
  );
}

const LAST: readonly Column<AlgorithmRank>[] = [
  {
    key: "wins",
    head: <span title="Races in which no other algorithm scored more; a tie counts for all">Wins</span>,
    align: "right",
    cell: ({ wins, races }) => (
      <span className="nowrap">
        {wins} <span className="t3">of {races}</span>
      </span>
    ),
  },
  {
    key: "as-it-ran",
    head: <span title="Races in which its plan was the applied one, so that its margin was measured">As it ran</span>,
    align: "right",
    secondRank: true,
    cell: ({ races, predicted }) => races - predicted,
  },
  {
    key: "failed",
    head: "No plan",
    align: "right",
    secondRank: true,
    cell: ({ failed }) => (failed > 0 ? <span className="warn">{failed}</span> : "0"),
  },
  {
    key: "seconds",
    head: "Mean time, s",
    align: "right",
    secondRank: true,
    cell: ({ seconds }) => secondsWords(seconds),
  },
];

/** Where it planned just what ran in every race, all of it was measured. */
function originOf({ predicted }: AlgorithmRank, ran: Origin): Origin {
  return predicted > 0 ? "predicted" : ran;
}

function Strip(props: { rank: AlgorithmRank; range: { from: number; to: number }; origin: Origin }): ReactNode {
  const { rank, range, origin } = props;
  const { margin_percent: margin, low_percent: low, high_percent: high } = rank;
  if (margin === null) return null;
  const x = (value: number) => 4 + ((value - range.from) / (range.to - range.from)) * (W - 8);
  return (
    <svg className="chart margin-strip" viewBox={`0 0 ${W} ${H}`} width={W} height={H} aria-hidden="true">
      <path className="grid" d={`M${x(0)} 1v${H - 2}`} />
      {low !== null && high !== null && (
        <rect className="band" x={x(low)} width={Math.max(1, x(high) - x(low))} y={MIDDLE - 4} height={8} />
      )}
      <circle className={origin} cx={x(margin)} cy={MIDDLE} r={3.2} />
    </svg>
  );
}
