/** Chains with what was measured against what was asked. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { ChainView } from "@/api/types";
import { isViolated } from "@/fleet/violations";
import { figure, latency } from "@/lib/format";
import { chainLook } from "@/states/looks";
import { StateText } from "@/states/state-text";
import { Mark } from "@/ui/marks";
import { type Column, Table } from "@/ui/table";
import { LatencyVerdict, placementText, ThroughputVerdict } from "./verdict";

const COLUMNS: readonly Column<ChainView>[] = [
  {
    key: "name",
    head: "Chain",
    cell: ({ spec }) => (
      <Link className="nowrap" to="/chains/$name" params={{ name: spec.name }}>
        {spec.name}
      </Link>
    ),
  },
  { key: "state", head: "State", cell: (chain) => <StateText look={chainLook(chain)} /> },
  {
    key: "nfs",
    head: "NFs",
    secondRank: true,
    cell: ({ spec }) => spec.nfs.map((nf) => nf.name).join(" → "),
  },
  { key: "placement", head: "Host: cores", cell: placementText },
  { key: "offered", head: "Offered, Mpps", align: "right", cell: ({ sample }) => figure(sample?.offered_mpps) },
  {
    key: "delivered",
    head: "Delivered, Mpps",
    align: "right",
    cell: ({ sample, provenance }) => (
      <b className="strong">
        {sample && <Mark origin={provenance} />}
        {figure(sample?.delivered_mpps)}
      </b>
    ),
  },
  { key: "throughput", head: "Throughput objective", cell: (chain) => <ThroughputVerdict chain={chain} /> },
  {
    key: "p95",
    head: "p95",
    align: "right",
    cell: ({ sample, provenance }) => (
      <>
        {sample?.p95_us != null && <Mark origin={provenance} />}
        {latency(sample?.p95_us)}
      </>
    ),
  },
  { key: "latency", head: "Latency objective", cell: (chain) => <LatencyVerdict chain={chain} /> },
  {
    key: "plan",
    head: "Plan",
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

const BRIEF = COLUMNS.filter(({ key }) => key !== "nfs" && key !== "plan");

/** `brief` leaves out what the map beside it shows. */
export function ChainsTable(props: { chains: readonly ChainView[]; brief?: boolean }): ReactNode {
  const columns = props.brief ? BRIEF : COLUMNS;
  return <Table label="Chains" columns={columns} rows={props.chains} rowKey={(chain) => chain.spec.name} />;
}

/** Violated first, then by name. */
export function chainsInOrder(chains: Iterable<ChainView>): ChainView[] {
  return [...chains].sort(
    (a, b) => Number(isViolated(b)) - Number(isViolated(a)) || (a.spec.name < b.spec.name ? -1 : 1),
  );
}
