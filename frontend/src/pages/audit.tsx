/** The audit log, newest first: who did what to which object, and what it was before and after. */

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useDeferredValue, useMemo } from "react";
import { auditPages, auditSealQuery } from "@/api/audit-queries";
import { asProblem } from "@/api/problem";
import { AuditTable } from "@/audit/audit-table";
import { auditCommand, auditParams, isFiltered } from "@/audit/filter";
import { FilterBar } from "@/audit/filter-bar";
import { SealText } from "@/audit/seal-text";
import { curls } from "@/session/curl-calls";
import { useRoleReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { withSort } from "./searches";

const route = getRouteApi("/shell/audit");

export function AuditPage(): ReactNode {
  const filter = route.useSearch();
  const navigate = useNavigate();
  const denied = useRoleReason("audit.read");
  const wanted = useDeferredValue(useMemo(() => auditParams(filter), [filter]));
  const list = useInfiniteQuery({ ...auditPages(wanted), enabled: denied === null });
  const seal = useQuery({ ...auditSealQuery, enabled: denied === null });
  const entries = list.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Audit"
        facts={
          <>
            <span>who did what{filter.sort ? "" : ", newest first"}</span>
            {seal.data && <SealText seal={seal.data} now={seal.dataUpdatedAt} />}
          </>
        }
        actions={
          <>
            <CopyButton text={auditCommand(filter)} curl={curls.audit(auditParams(filter))} />
            <CopyButton text="sextant audit verify" label="Copy verify command" />
            <Button
              reason={denied ?? (list.isFetching ? "It is being read." : null)}
              onClick={() => void list.refetch()}
            >
              Refresh
            </Button>
          </>
        }
      />
      {denied ? <p className="empty">{denied}</p> : <FilterBar filter={filter} />}
      {list.error && <ProblemNote problem={asProblem(list.error)} />}
      {!list.error && entries.length > 0 && (
        <AuditTable
          entries={entries}
          sort={filter.sort}
          onSort={(next) => void navigate({ to: "/audit", search: withSort(filter, next), replace: true })}
        />
      )}
      {denied === null && list.isPending && <p className="empty late">Loading entries</p>}
      {!list.error && list.data && entries.length === 0 && <Nothing filtered={isFiltered(filter)} />}
      {!list.error && list.hasNextPage && (
        <p className="empty">
          <Button onClick={() => void list.fetchNextPage()}>
            {list.isFetchingNextPage ? "Loading more entries" : `${filter.sort ? "More" : "Older"} entries`}
          </Button>
        </p>
      )}
    </main>
  );
}

function Nothing({ filtered }: { filtered: boolean }): ReactNode {
  if (!filtered) return <p className="empty">The log is empty. Every change from now on has an entry.</p>;
  return (
    <p className="empty">
      No entry fits. <Link to="/audit">Show all</Link>
    </p>
  );
}
