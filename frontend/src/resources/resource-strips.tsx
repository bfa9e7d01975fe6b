/** Of each node of a host: its ways of cache and its memory bandwidth, and who has which part of its own. */

import type { ReactNode } from "react";
import type { HostView, PlacedNf } from "@/api/types";
import { type Allocation, allocationsOf, allocationText, givenWays } from "@/capabilities/allocations";
import { asGiven, controlText } from "./given-by-law";

type Placed = Pick<PlacedNf, "nf_id" | "chain" | "seat">;

/** `nodes`: those to draw; left out, all. `said`: what laws gave is said elsewhere, in figures. */
export function ResourceStrips(props: {
  host: HostView;
  placed: readonly Placed[];
  nodes?: readonly number[];
  said?: boolean;
}): ReactNode {
  const { host, placed, nodes, said } = props;
  const known = host.inventory?.nodes ?? [];
  const controls = host.controls ?? [];
  const here = new Set(placed.filter(({ seat }) => nodes?.includes(seat.node) ?? true).map(({ chain }) => chain));
  const drawn = known.filter(({ id }) => nodes?.includes(id) ?? true).sort((a, b) => a.id - b.id);
  return (
    <div className="resource-strips">
      {drawn.map((node) => (
        <NodeStrips
          key={node.id}
          title={known.length > 1 ? `LLC ways of node ${node.id}` : "LLC ways"}
          ways={node.llc?.ways ?? null}
          nic={node.llc?.ways_shared_with_nic ?? 0}
          allocations={asGiven(allocationsOf(placed, host.host_id, node.id), controls)}
        />
      ))}
      {controls
        .filter(({ chain }) => !said && here.has(chain))
        .map((one) => (
          <p key={one.chain} className="t2">
            {controlText(one)}
          </p>
        ))}
    </div>
  );
}

function NodeStrips(props: {
  title: string;
  ways: number | null;
  nic: number;
  allocations: readonly Allocation[];
}): ReactNode {
  const { title, ways, nic, allocations } = props;
  const limited = allocations.filter(({ percent }) => percent !== null);
  return (
    <div className="resource-node">
      <span className="t3">
        {title}
        {ways === null && ": not divided, all NFs share the cache"}
      </span>
      {ways !== null && <Ways ways={ways} nic={nic} allocations={allocations.filter((one) => one.ways !== null)} />}
      {limited.map((one) => (
        <div key={one.owner} className="bandwidth-strip" title={allocationText(one)}>
          <i style={{ width: `${one.percent}%` }} />
          <span>
            {one.owner} {one.percent} % of memory bandwidth
          </span>
        </div>
      ))}
    </div>
  );
}

function Ways(props: { ways: number; nic: number; allocations: readonly Allocation[] }): ReactNode {
  const { ways, nic, allocations } = props;
  const left = Math.max(0, ways - givenWays(allocations));
  return (
    <div className="way-strip">
      {allocations.map((one) => (
        <span key={one.owner} className="own" style={{ flexGrow: one.ways ?? 0 }} title={allocationText(one)}>
          {one.owner} {one.ways}
        </span>
      ))}
      <span className="shared" style={{ flexGrow: Math.max(1, left) }} title={sharedText(left, nic)}>
        shared {left}
      </span>
    </div>
  );
}

function sharedText(left: number, nic: number): string {
  const written = nic > 0 ? `; the NIC writes into ${nic} of the cache's ways, too, which are given last` : "";
  return `${left} ways that all others share${written}`;
}
