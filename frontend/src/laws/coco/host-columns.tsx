/** Columns of the hosts that CoCo's law looks at. What no fresh report says is a dash, and is sorted last. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { CocoHostRow } from "@/api/types";
import { ageOrTime, DASH, figure, percent, thousands } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Mark, Shape } from "@/ui/marks";
import type { SortableColumn } from "@/ui/sortable-table";

export interface HostRow {
  readonly row: CocoHostRow;
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
        search={(old) => ({ ...old, tab: "coco", host: row.host })}
        aria-current={chosen ? "true" : undefined}
      >
        {row.host}
      </Link>
    ),
  },
  { key: "mode", head: "Policy", sort: ({ row }) => row.mode, cell: ({ row }) => row.mode },
  {
    key: "overloaded",
    head: "Overloaded cores",
    title: "Cores whose NFs would need more time than there is to carry all that their chains are offered",
    align: "right",
    sort: ({ row }) => row.overloaded,
    descendingFirst: true,
    cell: ({ row }) => <Overloaded row={row} />,
  },
  {
    key: "fullest",
    head: "Fullest core, %",
    title: "What is needed of it; more than 100 is an overload",
    align: "right",
    sort: ({ row }) => row.fullest_percent,
    descendingFirst: true,
    cell: ({ row }) => <Fullest row={row} />,
  },
  {
    key: "lost",
    head: "Dropped, Mpps",
    title: "Reaches NFs of its chains and is dropped by them",
    align: "right",
    sort: ({ row }) => row.short_mpps,
    descendingFirst: true,
    cell: ({ row }) => (row.fullest_percent === null ? DASH : figure(row.short_mpps)),
  },
  {
    key: "chains",
    head: "Chains",
    align: "right",
    sort: ({ row }) => row.chains,
    secondRank: true,
    cell: ({ row }) => thousands(row.chains),
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

function Overloaded({ row: { overloaded } }: { row: CocoHostRow }): ReactNode {
  if (overloaded === 0) return "0";
  return (
    <span className="bad nowrap">
      <Shape name="bad" />
      {thousands(overloaded)}
    </span>
  );
}

function Fullest({ row: { fullest_percent, provenance } }: { row: CocoHostRow }): ReactNode {
  if (fullest_percent === null) return DASH;
  return (
    <b className="strong">
      {provenance && <Mark origin={provenance} />}
      {percent(fullest_percent)}
    </b>
  );
}

function Evaluated({ at }: { at: string | null }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{at ? ageOrTime(at, now) : "not yet"}</span>;
}
