/** Plans, newest first, or as the reader sorts them. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { plansPages } from "@/api/queries";
import type { PlanSort } from "@/api/sorts";
import type { PlanBrief } from "@/api/types";
import { count, when } from "@/lib/format";
import { useLive } from "@/live/store";
import { WorkFilters } from "@/operations/work-filter";
import { algorithmText } from "@/plans/algorithms";
import { isToReview } from "@/plans/applicable";
import { gapText, verdictText } from "@/plans/status";
import { briefSubject } from "@/plans/words";
import { planLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { PLAN } from "@/states/table";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { type ServerSorted, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";
import { WideTable } from "@/ui/wide-table";
import { plansSearch, withSort } from "./searches";

const COLUMNS: readonly ServerSorted<PlanBrief, PlanSort>[] = [
  {
    key: "id",
    head: "Plan",
    sorts: ["id", "-id"],
    cell: ({ id }) => (
      <Link className="whole-cell" to="/plans/$planId" params={{ planId: String(id) }}>
        {id}
      </Link>
    ),
  },
  { key: "about", head: "About", sorts: ["subject", "-subject"], cell: briefSubject },
  {
    key: "state",
    head: "State",
    sorts: ["state", "-state"],
    cell: (plan) => (
      <StateText look={planLook({ state: plan.state, source: plan.source, waits: plan.waits_for ?? null })} />
    ),
  },
  {
    key: "found",
    head: "Status",
    cell: (plan) => <FoundText plan={plan} />,
  },
  { key: "algorithm", head: "Algorithm", secondRank: true, cell: ({ algorithm }) => algorithmText(algorithm) },
  {
    key: "changes",
    head: "Changes",
    align: "right",
    sorts: ["-changes", "changes"],
    cell: ({ changes }) => changes,
  },
  {
    key: "rejected",
    head: "Does not fit",
    cell: ({ rejected }) => (rejected > 0 ? <span className="warn">{count(rejected, "chain")}</span> : "–"),
  },
  {
    key: "operation",
    head: "Operation",
    cell: ({ operation_id }) =>
      operation_id === null ? (
        "–"
      ) : (
        <Link to="/operations/$operationId" params={{ operationId: String(operation_id) }}>
          {operation_id}
        </Link>
      ),
  },
  {
    key: "comparison",
    head: "Comparison",
    secondRank: true,
    cell: ({ comparison_id, source }) =>
      comparison_id == null ? (
        "–"
      ) : (
        <>
          <Link to="/comparisons/$id" params={{ id: String(comparison_id) }}>
            {comparison_id}
          </Link>
          {source === "file" && <span className="t3"> file</span>}
        </>
      ),
  },
  { key: "by", head: "By", secondRank: true, cell: ({ created_by }) => created_by },
  { key: "made", head: "Made", cell: ({ created_at }) => when(created_at) },
];

const route = getRouteApi("/shell/plans");

export function PlansPage(): ReactNode {
  const search = route.useSearch();
  const { sort, ...filter } = search;
  const navigate = useNavigate({ from: "/plans" });
  const onSort = (next?: PlanSort) => void navigate({ search: withSort(search, next), replace: true });
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(plansPages(search));
  const narrowed = Object.keys(filter).length > 0;
  const live = useLive((state) => state.plans);
  const fetched = data?.pages.flatMap((page) => page.items) ?? [];
  const plans = sort || narrowed ? fetched.map((plan) => live.get(plan.id) ?? plan) : merged(fetched, live);
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Plans"
        actions={
          <Link className="btn" to="/plans/compare">
            Compare algorithms
          </Link>
        }
        facts={data && !narrowed && <span>{count(plans.filter(isToReview).length, "plan")} to review</span>}
      />
      {(plans.length > 0 || narrowed) && (
        <WorkFilters
          label="plans"
          looks={PLAN}
          filter={filter}
          onFilter={(change) => void navigate({ search: (old) => plansSearch({ ...old, ...change }), replace: true })}
        />
      )}
      {error && <ProblemNote problem={asProblem(error)} />}
      {plans.length > 0 && (
        <WideTable label="Plans">
          <Table
            label="Plans"
            columns={sortedHeads(COLUMNS, { sort, onSort })}
            rows={plans}
            rowKey={(plan) => plan.id}
          />
        </WideTable>
      )}
      {data && plans.length === 0 && <None narrowed={narrowed} />}
      {!data && !error && plans.length === 0 && <p className="empty late">Loading plans</p>}
      {hasNextPage && (
        <p className="empty">
          <button type="button" className="btn" onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading more plans" : `${sort ? "More" : "Older"} plans`}
          </button>
        </p>
      )}
    </main>
  );
}

/** "optimal", "best under untested models", "feasible, gap 0.4 %"; nothing for a plan that nothing was searched for. */
function FoundText({ plan }: { plan: PlanBrief }): ReactNode {
  const { status, gap, doubt = null } = plan;
  if (!status) return "–";
  return (
    <span className={status === "infeasible" || (status === "optimal" && doubt) ? "warn nowrap" : "nowrap"}>
      {verdictText(status, doubt)}
      {status === "feasible" && gap != null && <span className="t2">, gap {gapText(gap)}</span>}
    </span>
  );
}

/** What was fetched, brought up to date by the stream. */
function merged(fetched: readonly PlanBrief[], live: ReadonlyMap<number, PlanBrief>): PlanBrief[] {
  const all = new Map(fetched.map((plan) => [plan.id, plan]));
  for (const [id, plan] of live) all.set(id, plan);
  return [...all.values()].sort((a, b) => b.id - a.id);
}

function None({ narrowed }: { narrowed: boolean }): ReactNode {
  if (narrowed) {
    return (
      <p className="empty">
        No plan matches. <Link to="/plans">Show all</Link>
      </p>
    );
  }
  return (
    <div className="empty">
      No plans yet. Submitting a chain makes the first one.
      <div className="actions">
        <Link className="btn primary" to="/chains/new">
          New chain
        </Link>
      </div>
    </div>
  );
}
