/** Operations, newest first; those that wait for somebody on top. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { operationsPages } from "@/api/queries";
import type { Operation } from "@/api/types";
import { count, when } from "@/lib/format";
import { useLive } from "@/live/store";
import { countSteps } from "@/operations/words";
import { WorkTabs } from "@/operations/work-tabs";
import { operationLook, waitsForYou } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { type Column, Table } from "@/ui/table";

const COLUMNS: readonly Column<Operation>[] = [
  {
    key: "id",
    head: "Operation",
    cell: ({ id }) => (
      <Link to="/operations/$operationId" params={{ operationId: String(id) }}>
        {id}
      </Link>
    ),
  },
  { key: "title", head: "What", cell: ({ title }) => title },
  {
    key: "state",
    head: "State",
    cell: (operation) => <StateText look={operationLook(operation)} code={operation.state} />,
  },
  {
    key: "steps",
    head: "Steps done",
    align: "right",
    cell: ({ hosts }) => {
      const steps = hosts.flatMap((work) => work.steps);
      return `${countSteps(steps).done} of ${steps.length}`;
    },
  },
  { key: "cause", head: "Cause", cell: ({ error }) => error?.title ?? "–" },
  {
    key: "plan",
    head: "Plan",
    cell: ({ plan_id }) => (
      <Link to="/plans/$planId" params={{ planId: String(plan_id) }}>
        {plan_id}
      </Link>
    ),
  },
  { key: "by", head: "By", secondRank: true, cell: ({ requested_by }) => requested_by },
  { key: "at", head: "Requested", cell: ({ created_at }) => when(created_at) },
];

export function OperationsPage(): ReactNode {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(operationsPages);
  const live = useLive((state) => state.operations);
  const operations = merged(data?.pages.flatMap((page) => page.items) ?? [], live);
  const waiting = operations.filter(waitsForYou).length;
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Operations"
        facts={data && <span className={waiting > 0 ? "bad" : ""}>{count(waiting, "operation")} waiting for you</span>}
      />
      <WorkTabs />
      {error && <ProblemNote problem={asProblem(error)} />}
      {operations.length > 0 && (
        <Table label="Operations" columns={COLUMNS} rows={operations} rowKey={(operation) => operation.id} />
      )}
      {data && operations.length === 0 && (
        <p className="empty">
          No operations yet. Applying a plan starts one. <Link to="/plans">Plans</Link>
        </p>
      )}
      {!data && !error && operations.length === 0 && <p className="empty late">Loading operations</p>}
      {hasNextPage && (
        <p className="empty">
          <button type="button" className="btn" onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading older operations" : "Older operations"}
          </button>
        </p>
      )}
    </main>
  );
}

/** What was fetched, brought up to date by the stream; what waits for somebody first. */
function merged(fetched: readonly Operation[], live: ReadonlyMap<number, Operation>): Operation[] {
  const all = new Map(fetched.map((operation) => [operation.id, operation]));
  for (const [id, operation] of live) {
    const known = all.get(id);
    if (!known || operation.version >= known.version) all.set(id, operation);
  }
  const waits = (operation: Operation) => Number(waitsForYou(operation));
  return [...all.values()].sort((a, b) => waits(b) - waits(a) || b.id - a.id);
}
