/** What the table of algorithms says of each, over its races. */

import type { AlgorithmRank } from "@/api/types";
import { marginText, secondsWords } from "@/recommendations/race-words";
import type { SortableColumn } from "@/ui/sortable-table";

export const RANKING_COLUMNS: readonly SortableColumn<AlgorithmRank>[] = [
  { key: "algorithm", head: "Algorithm", sort: ({ algorithm }) => algorithm, cell: ({ algorithm }) => algorithm },
  {
    key: "margin",
    head: "Mean margin over the applied plan",
    align: "right",
    sort: ({ margin_percent }) => margin_percent,
    descendingFirst: true,
    cell: ({ margin_percent }) => marginText(margin_percent),
  },
  { key: "drawn", head: "Margin, drawn", headHidden: true, cell: () => null },
  {
    key: "wins",
    head: "Wins",
    title: "Races in which no other algorithm scored more; a tie counts for all",
    align: "right",
    sort: ({ wins }) => wins,
    descendingFirst: true,
    cell: ({ wins, races }) => (
      <span className="nowrap">
        {wins} <span className="t3">of {races}</span>
      </span>
    ),
  },
  {
    key: "as-it-ran",
    head: "As it ran",
    title: "Races in which its plan was the applied one, so that its margin was measured",
    align: "right",
    secondRank: true,
    sort: ({ races, predicted }) => races - predicted,
    descendingFirst: true,
    cell: ({ races, predicted }) => races - predicted,
  },
  {
    key: "failed",
    head: "No plan",
    align: "right",
    secondRank: true,
    sort: ({ failed }) => failed,
    descendingFirst: true,
    cell: ({ failed }) => (failed > 0 ? <span className="warn">{failed}</span> : "0"),
  },
  {
    key: "seconds",
    head: "Mean time, s",
    align: "right",
    secondRank: true,
    sort: ({ seconds }) => seconds,
    cell: ({ seconds }) => secondsWords(seconds),
  },
];
