/** Columns of the hosts that SRv6-INT's global loop looks at. What no fresh report says is a dash, and is sorted last. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Srv6HostRow } from "@/api/types";
import { ageOrTime, DASH, figure, thousands } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Mark, Shape } from "@/ui/marks";
import type { SortableColumn } from "@/ui/sortable-table";

export interface HostRow {
  readonly row: Srv6HostRow;
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
        search={(old) => ({ ...old, tab: "srv6", host: row.host })}
        aria-current={chosen ? "true" : undefined}
      >
        {row.host}
      </Link>
    ),
  },
  { key: "mode", head: "Policy", sort: ({ row }) => row.mode, cell: ({ row }) => row.mode },
  {
    key: "saturated",
    head: "Need more",
    title: "Chains of which an NF has its packets longer than tolerated while its host has no more for it",
    align: "right",
    sort: ({ row }) => row.saturated,
    descendingFirst: true,
    cell: ({ row }) => <Saturated row={row} />,
  },
  {
    key: "chains",
    head: "Chains",
    title: "With quota bounds, whose first lane it runs",
    align: "right",
    sort: ({ row }) => row.chains,
    cell: ({ row }) => thousands(row.chains),
  },
  {
    key: "lanes",
    head: "Lanes",
    title: "Of these chains, on whichever hosts",
    align: "right",
    sort: ({ row }) => row.lanes,
    descendingFirst: true,
    cell: ({ row }) => thousands(row.lanes),
  },
  {
    key: "offered",
    head: "Offered, Mpps",
    align: "right",
    sort: ({ row }) => row.offered_mpps,
    descendingFirst: true,
    cell: ({ row }) => <Offered row={row} />,
  },
  {
    key: "evaluated",
    head: "Evaluated",
    sort: ({ row }) => row.evaluated_at,
    secondRank: true,
    cell: ({ row }) => <Evaluated at={row.evaluated_at} />,
  },
  {
    key: "reason",
    head: "At present",
    className: "sentence",
    cell: ({ row }) => (
      <>
        {row.recommendation_id !== null && <Shape name="warn" />}
        {row.reason}
      </>
    ),
  },
];

function Saturated({ row: { saturated } }: { row: Srv6HostRow }): ReactNode {
  if (saturated === 0) return "0";
  return (
    <span className="bad nowrap">
      <Shape name="bad" />
      {thousands(saturated)}
    </span>
  );
}

function Offered({ row: { offered_mpps, provenance } }: { row: Srv6HostRow }): ReactNode {
  if (provenance === null) return DASH;
  return (
    <span className="nowrap">
      <Mark origin={provenance} />
      {figure(offered_mpps)}
    </span>
  );
}

function Evaluated({ at }: { at: string | null }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{at ? ageOrTime(at, now) : "not yet"}</span>;
}
