/** What was sent where and when, and what came of every attempt; newest first. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { deliveriesQuery } from "@/api/notification-queries";
import { asProblem } from "@/api/problem";
import type { Delivery } from "@/api/types";
import { count, when } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type Column, Table } from "@/ui/table";

const EVENTS: Record<Delivery["event"], string> = {
  "alert.fired": "alerts fire",
  "alert.repeated": "alerts fire still",
  "alert.resolved": "alerts have ended",
  test: "test",
};

const COLUMNS: readonly Column<Delivery>[] = [
  { key: "made", head: "Made", cell: ({ created_at }) => <span className="nowrap">{when(created_at)}</span> },
  { key: "to", head: "Channel", rowHead: true, cell: ({ channel }) => channel },
  { key: "what", head: "Says", cell: ({ event }) => EVENTS[event] },
  {
    key: "alerts",
    head: "Alerts",
    secondRank: true,
    cell: ({ alerts }) => (alerts.length > 5 ? count(alerts.length, "alert") : alerts.join(", ") || "–"),
  },
  {
    key: "state",
    head: "State",
    cell: ({ state, delivered_at, next_attempt_at, error }) => (
      <span className={state === "failed" ? "bad" : ""}>
        {state}
        {delivered_at && ` ${when(delivered_at)}`}
        {state === "waiting" && next_attempt_at && `, next attempt ${when(next_attempt_at)}`}
        {error && `: ${error}`}
      </span>
    ),
  },
  { key: "tries", head: "Attempts", align: "right", cell: (delivery) => <Attempts delivery={delivery} /> },
];

export function Deliveries(): ReactNode {
  const { data, error } = useQuery(deliveriesQuery);
  return (
    <Section
      title="Deliveries"
      note="who was told when"
      end={<CopyButton text={cli.deliveries()} curl={curls.deliveries()} />}
    >
      {error && <ProblemNote problem={asProblem(error)} />}
      {data && data.length > 0 && <Table label="Deliveries" columns={COLUMNS} rows={data} rowKey={({ id }) => id} />}
      {data?.length === 0 && <p className="section-body t2">Nothing was sent within 30 days.</p>}
    </Section>
  );
}

function Attempts({ delivery: { log, attempts } }: { delivery: Delivery }): ReactNode {
  const said = log.map(({ at, duration_ms, status, error }) => `${when(at)}: ${error ?? status} (${duration_ms} ms)`);
  return <span title={said.join("\n")}>{attempts}</span>;
}
