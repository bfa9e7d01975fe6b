/** One study: how far it is, and what it found, drawn. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { asProblem } from "@/api/problem";
import { studyResultQuery, studyScenarioQuery } from "@/api/study-queries";
import type { Study } from "@/api/types";
import { ageOrTime, count } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { studyLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { Downloads } from "@/studies/downloads";
import { Found } from "@/studies/found";
import { StudyActions } from "@/studies/study-actions";
import { StudyProgress } from "@/studies/study-progress";
import { AskedSection, OriginSection, RepetitionLine } from "@/studies/study-side";
import { useStudy } from "@/studies/use-study";

import { CopyButton } from "@/ui/copy-button";
import { Mark } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { PartProblem } from "@/ui/part-problem";
import { ProblemNote } from "@/ui/problem-note";
import { Side } from "@/ui/side";

const route = getRouteApi("/shell/studies/$id");

export function StudyPage(): ReactNode {
  const id = Number(route.useParams().id);
  const { study, error } = useStudy(id);
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle
        path={<Link to="/studies">Studies</Link>}
        name={String(id)}
        facts={study ? <Facts study={study} /> : undefined}
        actions={study ? <CopyButton text={cli.showStudy(id)} curl={curls.showStudy(id)} /> : undefined}
      />
      {error && <ProblemNote problem={asProblem(error)} />}
      {!error && !study && <p className="empty late">Loading study {id}</p>}
      {study && <Whole key={id} study={study} />}
    </main>
  );
}

function Facts({ study }: { study: Study }): ReactNode {
  const now = useNow();
  return (
    <>
      <span className="strong">{study.name}</span>
      <StateText look={studyLook(study)} />
      <span>
        <Mark origin="simulated" />
        {count(study.runs, "run")} on {study.machine}
      </span>
      <span>
        by {study.created_by}, {ageOrTime(study.created_at, now)}
      </span>
    </>
  );
}

function Whole({ study }: { study: Study }): ReactNode {
  const asked = useQuery(studyScenarioQuery(study.id));
  const done = study.state === "done";
  const { data: result } = useQuery({ ...studyResultQuery(study.id), enabled: done });
  return (
    <>
      <RepetitionLine study={study} />
      {study.error && <ProblemNote problem={study.error} />}
      <div className="columns">
        <div className="main">{done ? <Found id={study.id} /> : <NotDone study={study} />}</div>
        <Side label="Progress, actions, what was asked and where figures come from">
          {done && <StudyProgress study={study} />}
          <StudyActions study={study} />
          <Downloads study={study} toml={asked.data?.toml} />
          {asked.error && <PartProblem problem={asProblem(asked.error)} />}
          {asked.data && <AskedSection study={study} asked={asked.data} />}
          {result && <OriginSection study={study} origin={result.origin} />}
        </Side>
      </div>
    </>
  );
}

/** How far it is, where what it finds will be drawn. */
function NotDone({ study }: { study: Study }): ReactNode {
  const text = {
    queued: "Results are shown here when it is done.",
    running: "Results are shown here when it is done. You can leave the page; the study continues.",
    cancelled: "It was cancelled; partial results were discarded.",
    failed: "It failed; partial results were discarded.",
    refused: "The scenario is not valid. Correct it and run it as a new study.",
    done: "",
  }[study.state];
  return (
    <>
      <StudyProgress study={study} />
      <p className="empty">{text}</p>
    </>
  );
}
