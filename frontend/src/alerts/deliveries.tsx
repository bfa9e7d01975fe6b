/** What was sent where and when, and what came of every attempt. */

import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { deliveriesPages } from "@/api/notification-queries";
import { asProblem } from "@/api/problem";
import type { DeliverySort } from "@/api/sorts";
import type { Delivery } from "@/api/types";
import { count, when } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";

const EVENTS: Record<Delivery["event"], string> = {
  "alert.fired": "alerts fire",
  "alert.repeated": "alerts fire still",
  "alert.resolved": "alerts have ended",
  test: "test",
};

const COLUMNS: readonly ServerSorted<Delivery, DeliverySort>[] = [
  // Numbers of messages rise as they are made.
  {
    key: "made",
    head: "Made",
    sorts: ["id", "-id"],
    cell: ({ created_at }) => <span className="nowrap">{when(created_at)}</span>,
  },
  { key: "to", head: "Channel", rowHead: true, sorts: ["channel", "-channel"], cell: ({ channel }) => channel },
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
    sorts: ["state", "-state"],
    cell: ({ state, delivered_at, next_attempt_at, error }) => (
      <span className={state === "failed" ? "bad" : ""}>
        {state}
        {delivered_at && ` ${when(delivered_at)}`}
        {state === "waiting" && next_attempt_at && `, next attempt ${when(next_attempt_at)}`}
        {error && `: ${error}`}
      </span>
    ),
  },
  {
    key: "tries",
    head: "Attempts",
    align: "right",
    sorts: ["-attempts", "attempts"],
    cell: (delivery) => <Attempts delivery={delivery} />,
  },
];

export function Deliveries(sorting: Sorting<DeliverySort>): ReactNode {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    deliveriesPages(sorting.sort),
  );
  const deliveries = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Section
      title="Deliveries"
      note="who was told when"
      end={<CopyButton text={cli.deliveries()} curl={curls.deliveries()} />}
    >
      {error && <ProblemNote problem={asProblem(error)} />}
      {deliveries.length > 0 && (
        <Table label="Deliveries" columns={sortedHeads(COLUMNS, sorting)} rows={deliveries} rowKey={({ id }) => id} />
      )}
      {data && deliveries.length === 0 && <p className="section-body t2">Nothing was sent within 30 days.</p>}
      {hasNextPage && (
        <p className="empty">
          <Button onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading more deliveries" : `${sorting.sort ? "More" : "Older"} deliveries`}
          </Button>
        </p>
      )}
    </Section>
  );
}

function Attempts({ delivery: { log, attempts } }: { delivery: Delivery }): ReactNode {
  const said = log.map(({ at, duration_ms, status, error }) => `${when(at)}: ${error ?? status} (${duration_ms} ms)`);
  return <span title={said.join("\n")}>{attempts}</span>;
}
