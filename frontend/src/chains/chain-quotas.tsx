/** CPU quotas, LLC ways and memory bandwidth that a chain's host sets by itself: what each NF has, how it stands, and the
 * latest changes with cause. */

import type { ReactNode } from "react";
import type { BoundedNf, ChainView, QuotaChange } from "@/api/types";
import { ageOrTime, DASH, latency } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";

const STATES: Readonly<Record<BoundedNf["state"], { text: string; look: string }>> = {
  well: { text: "within it", look: "t2" },
  above: { text: "above it", look: "warn" },
  saturated: { text: "above it, and the host has no more to give", look: "bad" },
  held: { text: "nothing is changed", look: "warn" },
};
const REASONS: Readonly<Record<QuotaChange["reason"], string>> = {
  raised: "raised",
  taken: "taken for another NF",
  reclaimed: "reclaimed",
  reverted: "given back",
};
const RESOURCES: Readonly<Record<NonNullable<QuotaChange["resource"]>, string>> = {
  "cpu-quota": "CPU quota",
  "llc-ways": "LLC ways",
  "memory-bandwidth": "memory bandwidth",
};
const NF: Column<BoundedNf> = { key: "nf", head: "NF", rowHead: true, cell: ({ nf_id }) => nf_id };
const QUOTA: Column<BoundedNf> = {
  key: "quota",
  head: "CPU quota",
  align: "right",
  cell: ({ quota_percent }) => percents(quota_percent),
};
const WAYS: Column<BoundedNf> = {
  key: "ways",
  head: "LLC ways",
  align: "right",
  cell: ({ llc_ways }) => ways(llc_ways),
};
const BANDWIDTH: Column<BoundedNf> = {
  key: "bandwidth",
  head: "Bandwidth",
  align: "right",
  cell: ({ memory_bandwidth_percent }) => percents(memory_bandwidth_percent ?? 100),
};
const STANDING: readonly Column<BoundedNf>[] = [
  { key: "p95", head: "Time in it, p95", align: "right", cell: ({ p95_us }) => latency(p95_us) },
  { key: "most", head: "Tolerated", align: "right", cell: ({ max_p95_us }) => latency(max_p95_us) },
  { key: "state", head: "State", className: "sentence", cell: State },
];
const CHANGES: readonly Column<QuotaChange>[] = [
  { key: "at", head: "When", rowHead: true, cell: ({ at }) => <When at={at} /> },
  { key: "nf", head: "NF", cell: ({ nf_id }) => nf_id },
  { key: "what", head: "What", cell: ({ reason }) => REASONS[reason] },
  { key: "of", head: "Of", cell: ({ resource }) => RESOURCES[resource ?? "cpu-quota"] },
  { key: "change", head: "Before → after", align: "right", cell: beforeAndAfter },
  { key: "why", head: "Why", className: "sentence t2", cell: ({ cause }) => cause },
  { key: "took", head: "Took", align: "right", cell: ({ took_us }) => latency(took_us) },
];

export function ChainQuotas({ chain }: { chain: ChainView }): ReactNode {
  const { name, quota_bounds: bounds } = chain.spec;
  const columns = [
    NF,
    QUOTA,
    ...(bounds?.most_ways != null ? [WAYS] : []),
    ...(bounds?.least_bandwidth_percent != null ? [BANDWIDTH] : []),
    ...STANDING,
  ];
  const nfs = chain.bounded_nfs ?? [];
  const changes = [...(chain.quota_changes ?? [])].reverse();
  return (
    <Section title="CPU quotas" note="set by the host itself, by what packets say">
      {nfs.length > 0 ? (
        <Table label={`CPU quotas of ${name}`} columns={columns} rows={nfs} rowKey={({ nf_id }) => nf_id} />
      ) : (
        <p className="section-body t2">Its host has not said yet what it gives its NFs.</p>
      )}
      {changes.length > 0 && (
        <Table
          label={`Changes of CPU quotas of ${name}`}
          columns={CHANGES}
          rows={changes}
          rowKey={({ at, nf_id, reason, resource }) => `${at} ${nf_id} ${reason} ${resource ?? ""}`}
        />
      )}
    </Section>
  );
}

function State({ state, note, not_given }: BoundedNf): ReactNode {
  const { text, look } = STATES[state];
  return (
    <>
      <span className={look}>{note ? `${text}: ${note}` : text}</span>
      {not_given && <span className="t3">; {not_given}</span>}
    </>
  );
}

function When({ at }: { at: string }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{ageOrTime(at, now)}</span>;
}

function beforeAndAfter(change: QuotaChange): string {
  if (change.resource === "llc-ways") return `${ways(change.before_ways)} → ${ways(change.after_ways)}`;
  return `${percents(change.before_percent)} → ${percents(change.after_percent)}`;
}

function ways(value: number | null | undefined): string {
  return value ? String(value) : "shared";
}

function percents(value: number | null | undefined): string {
  return value == null ? DASH : `${Math.round(10 * value) / 10} %`;
}
