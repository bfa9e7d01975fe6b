/** Ways that the agent took from one chain for another, the newest first. */

import type { ReactNode } from "react";
import type { WayTransfer } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { type Column, Table } from "@/ui/table";
import { transferText } from "./words";

const COLUMNS: readonly Column<WayTransfer>[] = [
  { key: "at", head: "When", cell: ({ at }) => <When at={at} /> },
  { key: "what", head: "What", rowHead: true, cell: transferText },
  { key: "why", head: "Why", className: "sentence", cell: ({ reason }) => <span className="t2">{reason}</span> },
];

export function TransfersTable({ transfers }: { transfers: readonly WayTransfer[] }): ReactNode {
  return (
    <Table
      label="Ways handed from chain to chain"
      columns={COLUMNS}
      rows={transfers.toReversed()}
      rowKey={({ at, from_chain, to_chain }) => `${at} ${from_chain} ${to_chain}`}
    />
  );
}

function When({ at }: { at: string }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{ageOrTime(at, now)}</span>;
}
