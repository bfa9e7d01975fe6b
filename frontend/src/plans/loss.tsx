/** What the moves of a plan are expected to cost, beside what they may cost. */

import type { ReactNode } from "react";
import type { ChainLoss, PlanBody } from "@/api/types";
import { count, figure, thousands } from "@/lib/format";
import { Mark } from "@/ui/marks";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";

const COLUMNS: readonly Column<ChainLoss>[] = [
  { key: "chain", head: "Chain", cell: ({ chain }) => chain, rowHead: true },
  { key: "moves", head: "NFs that move", align: "right", cell: ({ moves }) => thousands(moves) },
  { key: "rate", head: "Offered, Mpps", align: "right", cell: ({ rate_mpps }) => figure(rate_mpps) },
  { key: "packets", head: "Packets lost at most", align: "right", cell: ({ packets }) => thousands(packets) },
];

export function LossSection({ body }: { body: PlanBody }): ReactNode {
  const { loss, intent } = body;
  if (!loss) return null;
  const budget = intent.kind === "resources" ? budgetText(intent.loss_budget) : null;
  return (
    <Section title="What moving costs" note={budget ?? "no limit was set"}>
      <p className="section-body">
        <Mark origin={loss.assumed ? "assumed" : "predicted"} />
        <b className="strong">{count(loss.packets, "packet")}</b> lost at most, {loss.pause_ms} ms without a packet in
        each move. <span className="t2">{loss.basis}.</span>
      </p>
      <LossTable label="What moving costs each chain" chains={loss.chains} />
    </Section>
  );
}

export function LossTable({ label, chains }: { label: string; chains: readonly ChainLoss[] }): ReactNode {
  return <Table label={label} columns={COLUMNS} rows={chains} rowKey={({ chain }) => chain} />;
}

type Budget = Extract<PlanBody["intent"], { kind: "resources" }>["loss_budget"];

/** "allowed: 1,000 packets, 5 ms"; null where nothing is limited. */
export function budgetText(budget: Budget): string | null {
  if (!budget) return null;
  const { most_packets: packets, most_pause_ms: pause } = budget;
  const parts = [packets == null ? [] : [count(packets, "packet")], pause == null ? [] : [`${pause} ms`]].flat();
  return `allowed: ${parts.join(", ")}; moves that cost more are undone`;
}
