/** Comparisons, newest first, or as the reader sorts them. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ComparisonSort } from "@/api/sorts";
import type { Comparison } from "@/api/types";
import { count, when } from "@/lib/format";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { WideTable } from "@/ui/wide-table";
import { bestOf, isBest } from "./ranking";
import { intentText } from "./words";

const COLUMNS: readonly ServerSorted<Comparison, ComparisonSort>[] = [
  {
    key: "id",
    head: "Comparison",
    sorts: ["id", "-id"],
    cell: ({ id }) => (
      <Link className="whole-cell" to="/comparisons/$id" params={{ id: String(id) }}>
        {id}
      </Link>
    ),
  },
  { key: "intent", head: "Intent", cell: intentText },
  {
    key: "label",
    head: "Snapshot",
    sorts: ["label", "-label"],
    cell: ({ label, source }) => (
      <>
        {label} {source === "file" && <span className="t3">file</span>}
      </>
    ),
  },
  {
    key: "size",
    head: "Of",
    secondRank: true,
    cell: ({ hosts, chains }) => (
      <span className="nowrap">
        {count(hosts, "host")}, {count(chains, "chain")}
      </span>
    ),
  },
  { key: "plans", head: "Algorithms", cell: (comparison) => <Algorithms of={comparison} /> },
  {
    key: "taken",
    head: "Taken",
    className: "nowrap",
    sorts: ["-taken_at", "taken_at"],
    cell: ({ taken_at }) => when(taken_at),
  },
  { key: "by", head: "By", secondRank: true, cell: ({ created_by }) => created_by },
];

export function ComparisonsTable(props: { comparisons: readonly Comparison[] } & Sorting<ComparisonSort>): ReactNode {
  return (
    <WideTable label="Comparisons">
      <Table
        label="Comparisons"
        columns={sortedHeads(COLUMNS, props)}
        rows={props.comparisons}
        rowKey={({ id }) => id}
      />
    </WideTable>
  );
}

/** The best one first found stands out once all are made. */
function Algorithms({ of: { plans } }: { of: Comparison }): ReactNode {
  const made = plans.every(({ state }) => state !== "planning");
  const best = bestOf(plans);
  return plans.map((plan, index) => (
    <span key={plan.plan_id}>
      {index > 0 && ", "}
      {made && isBest(plan, best) && plans.length > 1 ? (
        <b className="strong" title="The best of them, or as good as the best">
          {plan.algorithm}
        </b>
      ) : (
        plan.algorithm
      )}
    </span>
  ));
}
