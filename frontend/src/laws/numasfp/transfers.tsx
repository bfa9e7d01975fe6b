/** Ways that the agent took from one chain for another: who gave up which to whom, the newest first. */

import type { ReactNode } from "react";
import type { WayTransfer } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";
import { transferText } from "./words";

const COLUMNS: readonly Column<WayTransfer>[] = [
  { key: "at", head: "When", cell: ({ at }) => <When at={at} /> },
  { key: "what", head: "What", rowHead: true, cell: transferText },
  { key: "why", head: "Why", cell: ({ reason }) => <span className="t2">{reason}</span> },
];

export function Transfers({ transfers }: { transfers: readonly WayTransfer[] }): ReactNode {
  return (
    <Section title="Ways handed from chain to chain" note="by the host’s agent, within the bounds of its order">
      {transfers.length === 0 ? (
        <p className="section-body t2">None was reported.</p>
      ) : (
        <Table
          label="Ways handed from chain to chain"
          columns={COLUMNS}
          rows={transfers.toReversed()}
          rowKey={({ at, from_chain, to_chain }) => `${at} ${from_chain} ${to_chain}`}
        />
      )}
    </Section>
  );
}

function When({ at }: { at: string }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{ageOrTime(at, now)}</span>;
}
