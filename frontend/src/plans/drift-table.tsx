/** How a host differs from its order: what was ordered and what runs, NF by NF. */

import type { ReactNode } from "react";
import type { DriftDifference } from "@/api/types";
import { DASH, when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { type Column, Table } from "@/ui/table";

const KINDS: Record<DriftDifference["kind"], string> = {
  "not-running": "not running",
  foreign: "never ordered",
  core: "other core",
  resources: "other resources",
  "held-order": "the agent holds another order",
  seat: "its core",
};

export function DriftTable({ differences }: { differences: readonly DriftDifference[] }): ReactNode {
  const now = new Date(useNow());
  const columns: readonly Column<DriftDifference>[] = [
    { key: "subject", head: "NF or chain", cell: ({ subject }) => subject, rowHead: true },
    { key: "kind", head: "Difference", cell: ({ kind }) => KINDS[kind] },
    { key: "ordered", head: "Ordered", cell: ({ ordered }) => ordered },
    { key: "runs", head: "Runs", cell: ({ runs }) => <b className="strong">{runs}</b> },
    { key: "since", head: "Since", cell: ({ since }) => (since ? when(since, now) : DASH), secondRank: true },
  ];
  return (
    <Table
      label="What differs from the order"
      columns={columns}
      rows={differences}
      rowKey={({ kind, subject }) => `${kind} ${subject}`}
    />
  );
}
