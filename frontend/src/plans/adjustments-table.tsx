/** Settings that a plan changes of a chain that runs: each by its field, with what it was and what it will be. */

import type { ReactNode } from "react";
import type { Adjustment, ResourceBounds } from "@/api/types";
import { shortDigest } from "@/lib/format";
import { type Column, Table } from "@/ui/table";

const COLUMNS: readonly Column<Adjustment>[] = [
  { key: "chain", head: "Chain", cell: ({ chain, host }) => `${chain} on ${host}` },
  { key: "field", head: "Setting", cell: ({ field }) => <span className="mono">{field}</span> },
  { key: "before", head: "From", cell: ({ field, before }) => adjustedText(field, before) },
  { key: "after", head: "To", cell: ({ field, after }) => <b className="strong">{adjustedText(field, after)}</b> },
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

/** Bounds are one setting, whose parts make a sentence. */
export function adjustedText(field: string, json: string): string {
  const bounds = field === "bounds" ? (JSON.parse(json) as ResourceBounds | null) : null;
  return bounds ? boundsText(bounds) : settingText(json);
}

/** "2 to 6 LLC ways, 10 to 50 % of memory bandwidth, by numasfp 1, table 1a2b3c4d". */
export function boundsText(bounds: ResourceBounds): string {
  const { least_ways, most_ways, least_percent, most_percent, law, law_version, table } = bounds;
  const what = `${least_ways} to ${most_ways} LLC ways, ${least_percent} to ${most_percent} % of memory bandwidth`;
  return `${what}, by ${law} ${law_version}, table ${shortDigest(table)}`;
}

const WORDS: Record<string, string> = { null: "none", true: "yes", false: "no" };

/** The plan has values as JSON. */
export function settingText(json: string): string {
  return WORDS[json] ?? json.replace(/^"(.*)"$/, "$1");
}
