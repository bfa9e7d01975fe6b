/** Algorithms by what they would have carried more than what ran: one row an algorithm, all margins on one scale. */

import type { ReactNode } from "react";
import type { AlgorithmRank } from "@/api/types";
import { marginInterval, marginRange, marginText } from "@/recommendations/race-words";
import { Mark, type Origin } from "@/ui/marks";
import { type SortableColumn, SortableTable } from "@/ui/sortable-table";
import type { TableView } from "@/ui/table-view";
import { RANKING_COLUMNS } from "./ranking-columns";

const [W, H, MIDDLE] = [160, 16, 8];

export function RankingTable(props: {
  ranks: readonly AlgorithmRank[];
  ran: Origin;
  sort: string | undefined;
  onSort: (sort: string | undefined) => void;
}): ReactNode {
  const { ranks, ran, sort, onSort } = props;
  const range = marginRange(ranks);
  const cells: Partial<Record<string, SortableColumn<AlgorithmRank>["cell"]>> = {
    margin: (rank) => (
      <span className="nowrap">
        {rank.margin_percent !== null && <Mark origin={originOf(rank, ran)} />}
        <b className="strong">{marginText(rank.margin_percent)}</b>{" "}
        <span className="interval">{marginInterval(rank)}</span>
      </span>
    ),
    drawn: (rank) => <Strip rank={rank} range={range} origin={originOf(rank, ran)} />,
  };
  return (
    <SortableTable
      label="Algorithms by margin over the applied plan"
      columns={RANKING_COLUMNS.map((column) => ({ ...column, cell: cells[column.key] ?? column.cell }))}
      rows={ranks}
      rowKey={({ algorithm }) => algorithm}
      view={sort ? { sort } : {}}
      onView={(view: TableView) => onSort(view.sort)}
    />
  );
}

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
