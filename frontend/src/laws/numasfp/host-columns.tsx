/** Columns of the hosts that NUMASFP's law looks at. What no fresh report says is a dash, and is sorted last. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { NumasfpHostRow } from "@/api/types";
import type { carryingCores, GivenWays } from "@/capabilities/given-ways";
import { ageOrTime, DASH, figure, thousands } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Mark, Shape } from "@/ui/marks";
import type { SortableColumn } from "@/ui/sortable-table";
import { shortOf } from "./words";

export interface HostRow {
  readonly row: NumasfpHostRow;
  readonly ways: GivenWays | null;
  readonly cores: ReturnType<typeof carryingCores>;
  readonly chosen: boolean;
}

export const HOST_COLUMNS: readonly SortableColumn<HostRow>[] = [
  {
    key: "host",
    head: "Host",
    rowHead: true,
    sort: ({ row }) => row.host,
    cell: ({ row, chosen }) => (
      <Link
        className="nowrap"
        to="/automation"
        search={(old) => ({ ...old, tab: "numasfp", host: row.host })}
        aria-current={chosen ? "true" : undefined}
      >
        {row.host}
      </Link>
    ),
  },
  { key: "mode", head: "Policy", sort: ({ row }) => row.mode, cell: ({ row }) => row.mode },
  {
    key: "violated",
    head: "Violated",
    title: "Chains that carry less than 99 % of what they are offered for longer than the limit",
    align: "right",
    sort: ({ row }) => row.violated,
    descendingFirst: true,
    cell: ({ row }) => <Violated row={row} />,
  },
  {
    key: "offered",
    head: "Offered, Gbps",
    align: "right",
    sort: ({ row }) => row.offered_gbps,
    descendingFirst: true,
    cell: ({ row }) => figure(row.offered_gbps),
  },
  {
    key: "carried",
    head: "Carried, Gbps",
    align: "right",
    sort: ({ row }) => row.carried_gbps,
    descendingFirst: true,
    cell: ({ row }) => (
      <b className="strong">
        {row.carried_gbps !== null && row.provenance && <Mark origin={row.provenance} />}
        {figure(row.carried_gbps)}
      </b>
    ),
  },
  {
    key: "short",
    head: "Short, Gbps",
    align: "right",
    sort: ({ row }) => shortOf(row),
    descendingFirst: true,
    secondRank: true,
    cell: ({ row }) => figure(shortOf(row)),
  },
  {
    key: "cores",
    head: "Cores carrying",
    align: "right",
    sort: ({ cores }) => cores?.carrying ?? null,
    descendingFirst: true,
    secondRank: true,
    cell: ({ cores }) => (cores ? `${cores.carrying} of ${cores.of}` : DASH),
  },
  {
    key: "ways",
    head: "Ways given",
    title: "Of those that can be given: one of each node stays with all others",
    align: "right",
    sort: ({ ways }) => ways?.given ?? null,
    descendingFirst: true,
    secondRank: true,
    cell: ({ ways }) => <Ways ways={ways} />,
  },
  {
    key: "budget",
    head: "Moves left",
    align: "right",
    sort: ({ row }) => row.budget_left,
    secondRank: true,
    cell: ({ row }) => thousands(row.budget_left),
  },
  {
    key: "evaluated",
    head: "Evaluated",
    sort: ({ row }) => row.evaluated_at,
    secondRank: true,
    cell: ({ row }) => <Evaluated at={row.evaluated_at} />,
  },
  { key: "reason", head: "At present", className: "sentence", cell: ({ row }) => <Reason row={row} /> },
];

function Violated({ row: { violated, chains } }: { row: NumasfpHostRow }): ReactNode {
  if (violated === 0) return `0 of ${thousands(chains)}`;
  return (
    <span className="bad nowrap">
      <Shape name="bad" />
      {thousands(violated)} of {thousands(chains)}
    </span>
  );
}

function Ways({ ways }: { ways: GivenWays | null }): ReactNode {
  if (!ways) return DASH;
  const { given, most } = ways;
  return (
    <span className="ways-given nowrap">
      <i aria-hidden="true">
        <i style={{ width: `${most > 0 ? (100 * given) / most : 0}%` }} />
      </i>
      {given} of {most}
    </span>
  );
}

function Evaluated({ at }: { at: string | null }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{at ? ageOrTime(at, now) : "not yet"}</span>;
}

function Reason({ row: { recommendation_id, reason } }: { row: NumasfpHostRow }): ReactNode {
  return (
    <>
      {recommendation_id !== null && <Shape name="warn" />}
      {reason}
    </>
  );
}
