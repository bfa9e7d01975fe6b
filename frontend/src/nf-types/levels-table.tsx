/** Rates, and what each takes on a local and on a remote node. */

import type { ReactNode } from "react";
import type { LevelsVersion } from "@/api/types";
import { figure } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { type Column, Table } from "@/ui/table";
import { type NodeCell, type RateRow, rateRows, wayText } from "./levels";

const COLUMNS: readonly Column<RateRow>[] = [
  { key: "rate", head: "Gbps", align: "right", rowHead: true, cell: ({ gbps }) => figure(gbps) },
  ...(["local", "remote"] as const).map(
    (kind): Column<RateRow> => ({
      key: kind,
      head: kind === "local" ? "On a local node" : "On a remote node",
      title: kind === "local" ? "the node that packets arrive on" : "any other node",
      cell: (row) => <Cell cell={row[kind]} />,
    }),
  ),
];

export function LevelsTable({ version }: { version: LevelsVersion }): ReactNode {
  const of = {
    key: "from",
    head: <span className="hidden-text">Origin</span>,
    cell: () => <Mark origin={version.provenance} />,
  };
  return (
    <div className="types-table">
      <Table label="Levels" columns={[...COLUMNS, of]} rows={rateRows(version)} rowKey={({ gbps }) => gbps} />
    </div>
  );
}

function Cell({ cell }: { cell: NodeCell }): ReactNode {
  if (cell === undefined) return <span className="t3">not measured</span>;
  if (cell === null) return <span className="t3">nothing carries it</span>;
  return (
    <>
      <b className="strong">{wayText(cell.ways, cell.percent)}</b>
      {cell.others && <span className="t3"> or {cell.others}</span>}
    </>
  );
}
