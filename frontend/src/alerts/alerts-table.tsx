/** Alerts, each with its cause, what to do, and who has dealt with it. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type AlertFilter, alertPages } from "@/api/alert-queries";
import { asProblem } from "@/api/problem";
import type { AlertSort } from "@/api/sorts";
import type { Alert } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { Claim } from "@/live/claim";
import { useNow } from "@/live/freshness";
import { Button } from "@/ui/button";
import { Shape } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { Acknowledge } from "./acknowledge";
import { SilenceAlert } from "./silence-alert";
import { pageOf, SEVERITY_SHAPES } from "./words";

const COMMON: readonly ServerSorted<Alert, AlertSort>[] = [
  {
    key: "severity",
    head: "Severity",
    sorts: ["-severity", "severity"],
    cell: (alert) => <Severity alert={alert} />,
  },
  { key: "what", head: "What", rowHead: true, cell: ({ summary }) => <b className="strong">{summary}</b> },
  {
    key: "about",
    head: "About",
    secondRank: true,
    sorts: ["object_name", "-object_name"],
    cell: (alert) => <About alert={alert} />,
  },
];

const FIRING: readonly ServerSorted<Alert, AlertSort>[] = [
  ...COMMON,
  {
    key: "since",
    head: "Since",
    sorts: ["fired_at", "-fired_at"],
    cell: ({ fired_at, pending_since }) => <When at={fired_at ?? pending_since} />,
  },
  { key: "state", head: "State", secondRank: true, cell: stateText },
  {
    key: "acts",
    head: <span className="hidden-text">Actions</span>,
    align: "right",
    cell: (alert) => (
      <span className="row-actions tight">
        <Acknowledge alert={alert} />
        <SilenceAlert alert={alert} />
      </span>
    ),
  },
];

const RESOLVED: readonly ServerSorted<Alert, AlertSort>[] = [
  ...COMMON,
  {
    key: "since",
    head: "Fired",
    sorts: ["fired_at", "-fired_at"],
    cell: ({ fired_at }) => <When at={fired_at} />,
  },
  { key: "over", head: "Resolved", cell: ({ resolved_at }) => <When at={resolved_at} /> },
  { key: "why", head: "Because", secondRank: true, cell: ({ resolved_because }) => resolved_because },
];

export function AlertsTable({
  filter,
  onSort,
}: { filter: AlertFilter } & Pick<Sorting<AlertSort>, "onSort">): ReactNode {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(alertPages(filter));
  const alerts = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="empty late">Loading alerts</p>}
      {alerts.length > 0 && (
        <Table
          label={filter.state === "firing" ? "Alerts" : "Resolved alerts"}
          columns={sortedHeads(filter.state === "firing" ? FIRING : RESOLVED, { sort: filter.sort, onSort })}
          rows={alerts}
          rowKey={({ id }) => id}
          note={(alert) => (filter.state === "firing" ? <Cause alert={alert} /> : null)}
        />
      )}
      {data && alerts.length === 0 && (
        <p className="empty">
          <Claim>
            {filter.state === "firing"
              ? `Nothing is wrong by the rules below${filter.severity ? ` of severity ${filter.severity}` : ""}.`
              : "No alert has been resolved within 90 days."}
          </Claim>
        </p>
      )}
      {hasNextPage && (
        <p className="empty">
          <Button onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading more alerts" : `${filter.sort ? "More" : "Older"} alerts`}
          </Button>
        </p>
      )}
    </>
  );
}

function Severity({ alert: { severity } }: { alert: Alert }): ReactNode {
  return (
    <span className={`nowrap ${severity === "critical" ? "bad" : severity === "warning" ? "warn" : ""}`}>
      <Shape name={SEVERITY_SHAPES[severity]} />
      {severity}
    </span>
  );
}

function About({ alert }: { alert: Alert }): ReactNode {
  const page = pageOf(alert);
  const text = `${alert.object_kind} ${alert.object_name}`;
  return page === null ? text : <Link to={page}>{text}</Link>;
}

function When({ at }: { at: string | null }): ReactNode {
  const now = useNow();
  return <span className="nowrap">{ageOrTime(at, now)}</span>;
}

function stateText({ unknown_since, silence_id, acknowledged }: Alert): string {
  const parts = [
    unknown_since === null ? "" : "unknown: nothing is heard of it",
    silence_id === null ? "" : `silence ${silence_id}`,
    acknowledged === null ? "" : `acknowledged by ${acknowledged.by}`,
  ].filter(Boolean);
  return parts.length > 0 ? parts.join(", ") : "open";
}

function Cause({ alert: { cause, next_step, acknowledged } }: { alert: Alert }): ReactNode {
  return (
    <div className="alert-cause">
      {cause} <span className="t3">Next: {next_step}</span>
      {acknowledged?.note && (
        <span className="t2">
          {" "}
          {acknowledged.by}: “{acknowledged.note}”
        </span>
      )}
    </div>
  );
}
