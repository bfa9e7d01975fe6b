/** What the rules of NFs in the kernel have decided, as the kernel counts it. */

import type { ReactNode } from "react";
import type { ChainView, NfView, RuleCount } from "@/api/types";
import { ageOrTime, DASH, sizeText, thousands } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { type Rule, ruleWords } from "./rule-words";

interface Row {
  readonly key: string;
  readonly number: string;
  readonly words: string;
  readonly count: RuleCount | null;
}

const COLUMNS: readonly Column<Row>[] = [
  { key: "number", head: "Rule", rowHead: true, cell: ({ number }) => number },
  { key: "words", head: "Does", className: "sentence", cell: ({ words }) => words },
  {
    key: "packets",
    head: "Packets",
    align: "right",
    className: "figure",
    cell: ({ count }) => (count ? thousands(count.packets) : DASH),
  },
  {
    key: "bytes",
    head: "Bytes",
    align: "right",
    className: "figure",
    cell: ({ count }) => (count ? sizeText(count.bytes) : DASH),
  },
];

/** A table for each NF whose rules are counted; nothing where there is none. */
export function RuleCounts({ chain, nfs }: { chain: ChainView; nfs: ReadonlyMap<string, NfView> }): ReactNode {
  const now = useNow();
  return chain.spec.nfs.map((nf) => {
    const counts = nfs.get(`${chain.spec.name}.${nf.name}`)?.sample?.rule_counts;
    if (!counts) return null;
    return (
      <Section
        key={nf.name}
        title={`Rules of ${nf.name}`}
        note={`counted since they were put in force, ${ageOrTime(counts.since, now)}`}
      >
        <Table label={`Rules of ${nf.name}`} columns={COLUMNS} rows={rowsOf(nf, counts)} rowKey={({ key }) => key} />
      </Section>
    );
  });
}

type Nf = ChainView["spec"]["nfs"][number];
type Counts = NonNullable<NonNullable<NfView["sample"]>["rule_counts"]>;

/** Of a configuration that was just changed, and has fewer rules, the others are without words. */
function rowsOf({ config }: Nf, counts: Counts): Row[] {
  const rules = (config?.rules ?? []) as readonly Rule[];
  const rows = counts.rules.map((count, at): Row => {
    const rule = rules[at];
    return { key: String(at), number: String(at + 1), words: rule ? ruleWords(rule) : DASH, count };
  });
  const more = rules.length - rows.length;
  if (more > 0) {
    const number = `${rows.length + 1} – ${rules.length}`;
    rows.push({ key: "more", number, words: "not reported one by one", count: null });
  }
  const action = String(config?.default_action ?? "allow");
  rows.push({ key: "default", number: DASH, words: `${action} what no rule matches`, count: counts.default });
  return rows;
}
