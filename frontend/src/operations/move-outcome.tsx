/** What moving NFs brought and cost on one host, as the step `measure` found it. */

import type { ReactNode } from "react";
import type { ChainOutcome, MoveOutcome } from "@/api/types";
import { count, DASH, latency, thousands } from "@/lib/format";
import { Mark, Shape } from "@/ui/marks";
import { type Column, Table } from "@/ui/table";
import { otherLoad } from "./outcome-load";

const COLUMNS: readonly Column<ChainOutcome>[] = [
  { key: "chain", head: "Chain", cell: ({ chain }) => chain, rowHead: true },
  { key: "before", head: "Before, Gbps", align: "right", cell: ({ before_gbps }) => gbps(before_gbps) },
  {
    key: "after",
    head: "After, Gbps",
    align: "right",
    cell: ({ after_gbps }) => <b className="strong">{gbps(after_gbps)}</b>,
  },
  {
    key: "offered",
    head: "Offered, Gbps",
    align: "right",
    title: "What the chain was offered before and after: less carried of less offered is no loss.",
    cell: ({ offered_before_gbps, offered_after_gbps }) => `${gbps(offered_before_gbps)} → ${gbps(offered_after_gbps)}`,
  },
  {
    key: "latency",
    head: "p95 latency",
    align: "right",
    title: "95th percentile before and after; a dash where the host does not measure it.",
    cell: ({ before_p95_us, after_p95_us }) => `${latency(before_p95_us)} → ${latency(after_p95_us)}`,
  },
  {
    key: "lost",
    head: "Packets lost",
    align: "right",
    title: "Dropped from the order until all was verified, beyond what the chain dropped before.",
    cell: ({ lost_packets }) => (lost_packets == null ? DASH : thousands(lost_packets)),
  },
];

export function MoveOutcomeRow({ host, outcome }: { host: string; outcome: MoveOutcome }): ReactNode {
  const kept = !outcome.worse && outcome.within_budget !== false;
  return (
    <div className="move-outcome">
      <p className={kept ? undefined : "warn"}>
        <Shape name={kept ? "ok" : "bad"} />
        {outcome.provenance && (
          <Mark origin={outcome.provenance} {...(outcome.provenance === "simulated" ? { why: SIMULATED } : {})} />
        )}
        {outcome.text}
        {otherLoad(outcome)}
        {outcome.pause_ms != null && `; ${outcome.pause_ms} ms without a packet`}
        {!kept && "; the host goes back to what it ran before"}
        {outcome.provenance === "simulated" && <span className="t2"> (simulated)</span>}
      </p>
      {outcome.chains.length > 0 && (
        <details>
          <summary>{count(outcome.chains.length, "chain")} before and after</summary>
          <Table
            label={`Chains of ${host} before and after the moves`}
            columns={COLUMNS}
            rows={outcome.chains}
            rowKey={({ chain }) => chain}
          />
        </details>
      )}
    </div>
  );
}

const SIMULATED = "computed by the twin, no packet passed";

/** On the wire, to a hundredth. */
function gbps(value: number | null | undefined): string {
  return value == null ? DASH : value.toFixed(2);
}
