/** Settings that a plan changes of a chain that runs: each by its field, with what it was and what it will be. */

import type { ReactNode } from "react";
import type { Adjustment } from "@/api/types";
import { type Column, Table } from "@/ui/table";

const COLUMNS: readonly Column<Adjustment>[] = [
  { key: "chain", head: "Chain", cell: ({ chain, host }) => `${chain} on ${host}` },
  { key: "field", head: "Setting", cell: ({ field }) => <span className="mono">{field}</span> },
  { key: "before", head: "From", cell: ({ before }) => settingText(before) },
  { key: "after", head: "To", cell: ({ after }) => <b className="strong">{settingText(after)}</b> },
];

export function AdjustmentsTable({ adjustments }: { adjustments: readonly Adjustment[] }): ReactNode {
  return (
    <Table
      label="Settings that change"
      columns={COLUMNS}
      rows={adjustments}
      rowKey={({ host, chain, field }) => `${host} ${chain} ${field}`}
    />
  );
}

const WORDS: Record<string, string> = { null: "none", true: "yes", false: "no" };

/** The plan has values as JSON. */
export function settingText(json: string): string {
  return WORDS[json] ?? json.replace(/^"(.*)"$/, "$1");
}
