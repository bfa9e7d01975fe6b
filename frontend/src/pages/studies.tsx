/** Studies on simulated servers, newest first, or as the reader sorts them. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { studiesPages } from "@/api/study-queries";
import type { Study, StudyState } from "@/api/types";
import { count } from "@/lib/format";
import { renewed } from "@/live/renewed";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { studyEnded } from "@/states/derived";
import { STUDY_STATES } from "@/states/table";
import { EXAMPLES } from "@/studies/examples";
import { StudiesTable } from "@/studies/studies-table";
import { mergedStudies } from "@/studies/use-study";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";
import { type StudiesSearch, withSort } from "./searches";

const route = getRouteApi("/shell/studies");

export function StudiesPage(): ReactNode {
  const search = route.useSearch();
  const { state, sort } = search;
  const navigate = useNavigate();
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(studiesPages(state, sort));
  const live = useLive((all) => all.studies);
  const fetched = data?.pages.flatMap((page) => page.items);
  const shown = (all: readonly Study[]) => (sort ? renewed(all, live) : mergedStudies(all, live, state));
  const studies = fetched ? shown(fetched) : [];
  const open = [...live.values()].filter((study) => !studyEnded(study.state)).length;
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Studies"
        facts={
          <>
            <span>
              <Mark origin="simulated" />
              on simulated servers
            </span>
            {fetched && <span>{open === 0 ? "none runs" : `${count(open, "study", "studies")} not done`}</span>}
          </>
        }
        actions={
          <>
            <CopyButton text={cli.studies()} curl={curls.studies()} />
            <Link className="btn primary" to="/studies/new">
              New study
            </Link>
          </>
        }
      />
      {(state || studies.length > 0) && <StateFilter search={search} />}
      {error && <ProblemNote problem={asProblem(error)} />}
      {studies.length > 0 && (
        <StudiesTable
          studies={studies}
          sort={sort}
          onSort={(next) => void navigate({ to: "/studies", search: withSort(search, next), replace: true })}
        />
      )}
      {data && studies.length === 0 && (state ? <NoneSo state={state} /> : <None />)}
      {!data && !error && <p className="empty late">Loading studies</p>}
      {hasNextPage && (
        <p className="empty">
          <Button onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading more studies" : `${sort ? "More" : "Older"} studies`}
          </Button>
        </p>
      )}
    </main>
  );
}

function StateFilter({ search }: { search: StudiesSearch }): ReactNode {
  const navigate = useNavigate();
  return (
    <search className="list-filter">
      <Segmented<StudyState | "all">
        label="State"
        value={search.state ?? "all"}
        options={[
          { key: "all", text: "All" },
          ...STUDY_STATES.map((key) => ({ key, text: `${key.charAt(0).toUpperCase()}${key.slice(1)}` })),
        ]}
        onChange={(key) =>
          void navigate({
            to: "/studies",
            search: withSort<StudiesSearch>(key === "all" ? {} : { state: key }, search.sort),
            replace: true,
          })
        }
      />
    </search>
  );
}

function NoneSo({ state }: { state: StudyState }): ReactNode {
  return (
    <p className="empty">
      No study is {state}. <Link to="/studies">Show all</Link>
    </p>
  );
}

function None(): ReactNode {
  return (
    <div className="empty">
      No studies yet. A study runs experiments on simulated servers that a fleet in service cannot run: it profiles NF
      types, fits models, and places chains with several algorithms, or at random to measure prediction errors. Start
      with an example:
      <ul className="study-examples">
        {EXAMPLES.map(({ key, text, asks }) => (
          <li key={key}>
            <Link to="/studies/new" search={{ example: key }}>
              {text}
            </Link>{" "}
            {asks}
          </li>
        ))}
      </ul>
      <div className="actions">
        <code className="command">{cli.runStudy("examples/studies/placement-gains.toml")}</code>
      </div>
    </div>
  );
}
