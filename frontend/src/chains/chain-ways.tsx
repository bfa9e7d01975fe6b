/** By which link each host leads a chain on to the next: the one it takes now, since when, and why not the first. */

import type { ReactNode } from "react";
import type { ChainWay } from "@/api/types";
import { ageOrTime, DASH } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Shape } from "@/ui/marks";
import { type Column, Table } from "@/ui/table";
import { type PartRow, silentFor } from "./parts";

const STATES: Readonly<Record<ChainWay["state"], { text: string; look: string }>> = {
  preferred: { text: "the preferred link", look: "t2" },
  other: { text: "led round", look: "warn" },
  cut: { text: "cut, packets are lost", look: "bad" },
  unknown: { text: "not known", look: "warn" },
};

export interface WayRow {
  readonly host: string;
  readonly way: ChainWay;
  readonly isStale: boolean;
}

/** Of all parts, in the order in which packets pass. */
export function waysOf(rows: readonly PartRow[], now: number): WayRow[] {
  return rows.flatMap(({ chain }) =>
    (chain.sample?.ways ?? []).map((way) => ({
      host: chain.spec.ingress?.host ?? "",
      way,
      isStale: silentFor(chain, now) !== null,
    })),
  );
}

const COLUMNS: readonly Column<WayRow>[] = [
  { key: "from", head: "From", rowHead: true, cell: ({ host }) => host },
  { key: "to", head: "To", cell: ({ way }) => way.to ?? "where it leaves" },
  { key: "link", head: "By", cell: ({ way }) => way.link ?? DASH },
  { key: "links", head: "Links that lead there", className: "t2", cell: ({ way }) => way.links.join(", ") },
  { key: "state", head: "State", className: "sentence", cell: State },
  { key: "since", head: "Since", cell: ({ way }) => <Since at={way.since} /> },
];

export function ChainWays({ chain, ways }: { chain: string; ways: readonly WayRow[] }): ReactNode {
  return (
    <Table
      label={`Links that ${chain} takes`}
      columns={COLUMNS}
      rows={ways}
      rowKey={({ host, way }) => `${host} ${way.to ?? ""}`}
    />
  );
}

function State({ way, isStale }: WayRow): ReactNode {
  const { text, look } = STATES[way.state];
  const why = way.why ? `${text}: ${way.why}` : text;
  return (
    <span className={isStale ? "t3" : look}>
      {way.state === "cut" && !isStale && <Shape name="bad" />}
      {isStale ? `${why} (stale)` : why}
    </span>
  );
}

function Since({ at }: { at: string | null | undefined }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{at ? ageOrTime(at, now) : DASH}</span>;
}
