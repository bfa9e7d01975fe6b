/** What the plan does, NF by NF, each with its reason. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Change } from "@/api/types";
import { DASH, signed } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { type Column, Table } from "@/ui/table";

const KINDS: Record<Change["kind"], string> = { add: "start", move: "move", remove: "stop" };

type Row = Change & { readonly number: number };

const COLUMNS: readonly Column<Row>[] = [
  { key: "number", head: "Change", cell: ({ number, kind }) => `${number} ${KINDS[kind]}` },
  {
    key: "nf",
    head: "NF of chain",
    cell: ({ nf_id, chain }) => (
      <>
        {nf_id.slice(chain.length + 1)} <span className="t2">of</span>{" "}
        <Link to="/chains/$name" params={{ name: chain }}>
          {chain}
        </Link>
      </>
    ),
  },
  { key: "where", head: "From → to", cell: ({ source, target }) => `${seat(source)} → ${seat(target)}` },
  {
    key: "gain",
    head: (
      <>
        <Mark origin="predicted" />
        gain, Mpps
      </>
    ),
    align: "right",
    cell: ({ gain_mpps }) => (
      <span title={gain_mpps === null ? "No model holds for this NF on this host model." : undefined}>
        {signed(gain_mpps)}
      </span>
    ),
  },
  { key: "reason", head: "Reason", cell: ({ reason }) => <span className="t2">{reason}</span> },
];

function seat(value: Change["source"]): string {
  return value ? `${value.host}/${value.node}/${value.core}` : DASH;
}

export function ChangesTable({ changes }: { changes: readonly Change[] }): ReactNode {
  if (changes.length === 0) {
    return <p className="section-body t2">None.</p>;
  }
  const rows = changes.map((change, index) => ({ ...change, number: index + 1 }));
  return <Table label="Changes" columns={COLUMNS} rows={rows} rowKey={(row) => row.nf_id} />;
}
