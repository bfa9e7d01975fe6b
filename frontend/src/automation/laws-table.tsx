/** Every control law: its policy for the fleet, and what it does at present. */

import type { ReactNode } from "react";
import type { LawView } from "@/api/types";
import { ageOrTime, timesSign } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { type Column, Table } from "@/ui/table";

const COLUMNS: readonly Column<LawView>[] = [
  { key: "title", head: "Law", rowHead: true, cell: ({ title }) => title },
  {
    key: "summary",
    head: "What it does",
    secondRank: true,
    cell: ({ summary }) => <span className="t2">{summary}</span>,
  },
  { key: "mode", head: "Fleet policy", cell: ({ mode }) => mode },
  { key: "evaluated", head: "Evaluated", cell: (law) => <Evaluated law={law} /> },
  { key: "status", head: "Status", cell: ({ status }) => timesSign(status) },
];

export function LawsTable({ laws }: { laws: readonly LawView[] }): ReactNode {
  return <Table label="Control laws" columns={COLUMNS} rows={laws} rowKey={({ name }) => name} />;
}

function Evaluated({ law }: { law: LawView }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{law.evaluated_at ? ageOrTime(law.evaluated_at, now) : "not yet"}</span>;
}
