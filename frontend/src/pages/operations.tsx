/** Operations, newest first and those that wait for somebody on top, or as the reader sorts them. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { operationsPages } from "@/api/queries";
import type { OperationSort } from "@/api/sorts";
import type { Operation } from "@/api/types";
import { count, when } from "@/lib/format";
import { renewed } from "@/live/renewed";
import { useLive } from "@/live/store";
import { countSteps } from "@/operations/words";
import { WorkFilters } from "@/operations/work-filter";
import { WorkTabs } from "@/operations/work-tabs";
import { operationLook, waitsForYou } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { OPERATION } from "@/states/table";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { type ServerSorted, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { WideTable } from "@/ui/wide-table";
import { operationsSearch, withSort } from "./searches";

const COLUMNS: readonly ServerSorted<Operation, OperationSort>[] = [
  {
    key: "id",
    head: "Operation",
    sorts: ["id", "-id"],
    cell: ({ id }) => (
      <Link className="whole-cell" to="/operations/$operationId" params={{ operationId: String(id) }}>
        {id}
      </Link>
    ),
  },
  { key: "kind", head: "Kind", secondRank: true, sorts: ["kind", "-kind"], cell: ({ kind }) => kind },
  { key: "title", head: "What", cell: ({ title }) => title },
  {
    key: "state",
    head: "State",
    sorts: ["state", "-state"],
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
  { key: "requested", head: "Requested", className: "nowrap", cell: ({ created_at }) => when(created_at) },
  {
    key: "started",
    head: "Started",
    className: "nowrap",
    secondRank: true,
    sorts: ["-started_at", "started_at"],
    cell: ({ started_at }) => whenever(started_at),
  },
  {
    key: "ended",
    head: "Ended",
    className: "nowrap",
    sorts: ["-finished_at", "finished_at"],
    cell: ({ finished_at }) => whenever(finished_at),
  },
];

function whenever(at: string | null): string {
  return at === null ? "–" : when(at);
}

const route = getRouteApi("/shell/operations");

export function OperationsPage(): ReactNode {
  const search = route.useSearch();
  const { sort, ...filter } = search;
  const navigate = useNavigate({ from: "/operations" });
  const onSort = (next?: OperationSort) => void navigate({ search: withSort(search, next), replace: true });
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(operationsPages(search));
  const narrowed = Object.keys(filter).length > 0;
  const live = useLive((state) => state.operations);
  const fetched = data?.pages.flatMap((page) => page.items) ?? [];
  const operations = sort || narrowed ? renewed(fetched, live) : merged(fetched, live);
  const waiting = operations.filter(waitsForYou).length;
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Operations"
        facts={
          data &&
          !narrowed && <span className={waiting > 0 ? "bad" : ""}>{count(waiting, "operation")} waiting for you</span>
        }
      />
      <WorkTabs />
      {(operations.length > 0 || narrowed) && (
        <WorkFilters
          label="operations"
          looks={OPERATION}
          filter={filter}
          onFilter={(change) =>
            void navigate({ search: (old) => operationsSearch({ ...old, ...change }), replace: true })
          }
        />
      )}
      {error && <ProblemNote problem={asProblem(error)} />}
      {operations.length > 0 && (
        <WideTable label="Operations">
          <Table
            label="Operations"
            columns={sortedHeads(COLUMNS, { sort, onSort })}
            rows={operations}
            rowKey={(operation) => operation.id}
          />
        </WideTable>
      )}
      {data && operations.length === 0 && <None narrowed={narrowed} />}
      {!data && !error && operations.length === 0 && <p className="empty late">Loading operations</p>}
      {hasNextPage && (
        <p className="empty">
          <button type="button" className="btn" onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading more operations" : `${sort ? "More" : "Older"} operations`}
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

function None({ narrowed }: { narrowed: boolean }): ReactNode {
  if (narrowed) {
    return (
      <p className="empty">
        No operation matches. <Link to="/operations">Show all</Link>
      </p>
    );
  }
  return (
    <p className="empty">
      No operations yet. Applying a plan starts one. <Link to="/plans">Plans</Link>
    </p>
  );
}
