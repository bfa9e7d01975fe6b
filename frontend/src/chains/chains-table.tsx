/** Chains with what was measured against what was asked. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ChainView, SloState } from "@/api/types";
import { isViolated } from "@/fleet/violations";
import { figure, latency } from "@/lib/format";
import { chainLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { Mark } from "@/ui/marks";
import type { SortableColumn } from "@/ui/sortable-table";
import { Table } from "@/ui/table";
import { LatencyVerdict, placementText, ThroughputVerdict } from "./verdict";

export const CHAIN_COLUMNS: readonly SortableColumn<ChainView>[] = [
  {
    key: "name",
    head: "Chain",
    sort: ({ spec }) => spec.name,
    cell: ({ spec }) => (
      <Link className="nowrap whole-cell" to="/chains/$name" params={{ name: spec.name }}>
        {spec.name}
      </Link>
    ),
  },
  {
    key: "state",
    head: "State",
    sort: (chain) => chainLook(chain).words,
    cell: (chain) => <StateText look={chainLook(chain)} />,
  },
  {
    key: "nfs",
    head: "NFs",
    sort: ({ spec }) => spec.nfs.length,
    secondRank: true,
    cell: ({ spec }) => spec.nfs.map((nf) => nf.name).join(" → "),
  },
  { key: "placement", head: "Host: cores", sort: placementText, cell: placementText },
  {
    key: "offered",
    head: "Offered, Mpps",
    align: "right",
    sort: ({ sample }) => sample?.offered_mpps ?? null,
    descendingFirst: true,
    cell: ({ sample }) => figure(sample?.offered_mpps),
  },
  {
    key: "delivered",
    head: "Delivered, Mpps",
    align: "right",
    sort: ({ sample }) => sample?.delivered_mpps ?? null,
    descendingFirst: true,
    cell: ({ sample, provenance }) => (
      <b className="strong">
        {sample && <Mark origin={provenance} />}
        {figure(sample?.delivered_mpps)}
      </b>
    ),
  },
  {
    key: "throughput",
    head: "Throughput objective",
    sort: ({ throughput_slo }) => gravity(throughput_slo),
    cell: (chain) => <ThroughputVerdict chain={chain} />,
  },
  {
    key: "p95",
    head: "p95",
    align: "right",
    sort: ({ sample }) => sample?.p95_us ?? null,
    descendingFirst: true,
    cell: ({ sample, provenance }) => (
      <>
        {sample?.p95_us != null && <Mark origin={provenance} />}
        {latency(sample?.p95_us)}
      </>
    ),
  },
  {
    key: "latency",
    head: "Latency objective",
    sort: ({ latency_slo }) => gravity(latency_slo),
    cell: (chain) => <LatencyVerdict chain={chain} />,
  },
  {
    key: "group",
    head: "Anti-affinity group",
    sort: ({ spec }) => spec.anti_affinity?.group ?? null,
    secondRank: true,
    cell: ({ spec }) => spec.anti_affinity?.group ?? "–",
  },
  {
    key: "plan",
    head: "Plan",
    sort: ({ plan_id }) => plan_id,
    descendingFirst: true,
    secondRank: true,
    cell: ({ plan_id }) =>
      plan_id === null ? (
        "–"
      ) : (
        <Link to="/plans/$planId" params={{ planId: String(plan_id) }}>
          {plan_id}
        </Link>
      ),
  },
];

const BRIEF = CHAIN_COLUMNS.filter(({ key }) => key !== "nfs" && key !== "group" && key !== "plan");

/** Objectives that are violated first, then those of which nothing is known; null where there is none. */
function gravity(state: SloState | null): number | null {
  return state === null ? null : { violated: 0, no_data: 1, met: 2 }[state];
}

/** Without what the map beside it shows. */
export function BriefChainsTable({ chains }: { chains: readonly ChainView[] }): ReactNode {
  return <Table label="Chains" columns={BRIEF} rows={chains} rowKey={(chain) => chain.spec.name} />;
}

/** Violated first, then by name. */
export function chainsInOrder(chains: Iterable<ChainView>): ChainView[] {
  return [...chains].sort(
    (a, b) => Number(isViolated(b)) - Number(isViolated(a)) || (a.spec.name < b.spec.name ? -1 : 1),
  );
}
