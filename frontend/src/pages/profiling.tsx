/** Profiling jobs, newest first and those that wait for somebody on top, or as the reader sorts them. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { profilingJobsPages } from "@/api/profiling-queries";
import { count } from "@/lib/format";
import { renewed } from "@/live/renewed";
import { useLive } from "@/live/store";
import { WorkTabs } from "@/operations/work-tabs";
import { JobsTable, mergedJobs } from "@/profiling/jobs-table";
import { StartProfile } from "@/profiling/start-profile";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { withSort } from "./searches";

const route = getRouteApi("/shell/profiling");

export function ProfilingPage(): ReactNode {
  const search = route.useSearch();
  const { type, sort } = search;
  const navigate = useNavigate();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    profilingJobsPages(type, sort),
  );
  const live = useLive((state) => state.profiling);
  const fetched = data?.pages.flatMap((page) => page.items) ?? [];
  const jobs = sort ? renewed(fetched, live) : mergedJobs(fetched, live, type);
  const paused = jobs.filter(({ state }) => state === "PAUSED").length;
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Profiling"
        facts={
          <>
            {type && (
              <span>
                of {type}; <Link to="/profiling">all NF types</Link>
              </span>
            )}
            {data && <span className={paused > 0 ? "warn" : ""}>{count(paused, "job")} waiting for you</span>}
          </>
        }
        actions={
          <>
            <CopyButton text={cli.profilingJobs()} curl={curls.profilingJobs()} />
            <StartProfile nfType={type} look="primary" label={type ? `Profile ${type}` : "Profile an NF type"} />
          </>
        }
      />
      <WorkTabs />
      {error && <ProblemNote problem={asProblem(error)} />}
      {jobs.length > 0 && (
        <JobsTable
          jobs={jobs}
          sort={sort}
          onSort={(next) => void navigate({ to: "/profiling", search: withSort(search, next), replace: true })}
        />
      )}
      {data && jobs.length === 0 && <None type={type} />}
      {!data && !error && jobs.length === 0 && <p className="empty late">Loading profiling jobs</p>}
      {hasNextPage && (
        <p className="empty">
          <button type="button" className="btn" onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading more jobs" : `${sort ? "More" : "Older"} jobs`}
          </button>
        </p>
      )}
    </main>
  );
}

function None({ type }: { type: string | undefined }): ReactNode {
  return (
    <div className="empty">
      {type ? `${type} was never profiled.` : "Nothing was profiled yet."} A profile measures an NF type on a host,
      alone and beside others; models are fitted to it, and plans predict with them.
      <div className="actions">
        <code className="command">sextant profile start {type ?? "firewall"} --host HOST</code>
      </div>
    </div>
  );
}
