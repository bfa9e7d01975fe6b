/** Chains of a host in SRv6-INT's global loop, lane by lane. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Srv6Chain } from "@/api/types";
import { ageOrTime, DASH, figure } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Shape } from "@/ui/marks";
import { type Column, Table } from "@/ui/table";
import { partText } from "./words";

interface LaneRow {
  readonly chain: Srv6Chain;
  readonly at: number;
}

const COLUMNS: readonly Column<LaneRow>[] = [
  { key: "chain", head: "Chain", rowHead: true, cell: ({ chain, at }) => (at === 0 ? <Name chain={chain} /> : "") },
  { key: "lane", head: "Lane on", cell: ({ chain, at }) => <Place chain={chain} at={at} /> },
  {
    key: "offered",
    head: "Offered, Mpps",
    align: "right",
    cell: ({ chain, at }) => figure(chain.lanes[at]?.offered_mpps ?? null),
  },
  {
    key: "carried",
    head: "Carried",
    align: "right",
    cell: ({ chain, at }) => figure(chain.lanes[at]?.carried_mpps ?? null),
  },
  {
    key: "worst",
    head: "Of what is tolerated",
    title: "p95 of how long its slowest NF has a packet, as a part of its bounds; more than 100 % is too long",
    align: "right",
    cell: ({ chain, at }) => <Part worst={chain.lanes[at]?.worst ?? null} />,
  },
  {
    key: "needs",
    head: "Needs more",
    title: "Its host has no more for it",
    cell: ({ chain, at }) => chain.lanes[at]?.saturated ?? DASH,
  },
  {
    key: "best",
    head: "Well up to, Mpps",
    title: "The highest rate at which one of its lanes was well",
    align: "right",
    cell: ({ chain, at }) => (at === 0 ? figure(chain.best_mpps) : ""),
  },
  {
    key: "full",
    head: "Full at",
    title:
      "The most that one of its lanes carried while it was offered more than it could carry, and the NF that its host had no more for then",
    align: "right",
    cell: ({ chain, at }) => (at === 0 ? <Full chain={chain} /> : ""),
  },
  { key: "stands", head: "Stands", cell: ({ chain, at }) => (at === 0 ? <Stands chain={chain} /> : "") },
];

export function ChainsTable({ chains }: { chains: readonly Srv6Chain[] }): ReactNode {
  const rows = chains.flatMap((chain) => chain.lanes.map((_, at): LaneRow => ({ chain, at })));
  return (
    <div className="wide-table">
      <Table
        label="Chains, lane by lane"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ chain, at }) => `${chain.chain} ${at}`}
      />
    </div>
  );
}

function Name({ chain: { chain } }: { chain: Srv6Chain }): ReactNode {
  return (
    <Link className="nowrap" to="/chains/$name" params={{ name: chain }}>
      {chain}
    </Link>
  );
}

function Place({ chain, at }: LaneRow): ReactNode {
  const host = chain.lanes[at]?.host ?? "";
  return (
    <Link className="nowrap" to="/hosts/$id" params={{ id: host }}>
      {host}
    </Link>
  );
}

function Part({ worst }: { worst: number | null }): ReactNode {
  if (worst === null || worst <= 1) return partText(worst);
  return (
    <span className="bad nowrap">
      <Shape name="bad" />
      {partText(worst)}
    </span>
  );
}

function Full({ chain: { full_mpps, full_nf } }: { chain: Srv6Chain }): ReactNode {
  return (
    <>
      {figure(full_mpps ?? null)}
      {full_nf && <span className="t3 nowrap"> {full_nf}</span>}
    </>
  );
}

function Stands({ chain }: { chain: Srv6Chain }): ReactNode {
  const now = useNow();
  if (chain.above_since !== null) return <>needs more since {ageOrTime(chain.above_since, now)}</>;
  if (chain.surplus_since !== null) return <>one lane less would do since {ageOrTime(chain.surplus_since, now)}</>;
  return chain.why_not ?? "well";
}
