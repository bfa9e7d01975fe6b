/** Trainings that run or wait: how far each is, its curve as exams come, and a way to end it. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { cancelStudy } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { STUDIES } from "@/api/study-queries";
import type { Study } from "@/api/types";
import { duration } from "@/lib/format";
import { useLive } from "@/live/store";
import { useActReason } from "@/session/permission";
import { studyEnded, studyLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { CurvePlots } from "@/studies/kinds/school/curve";
import { gamesText } from "@/studies/kinds/school/games";
import { Button } from "@/ui/button";
import { Mark } from "@/ui/marks";
import { ProblemNote } from "@/ui/problem-note";

/** Those that have not ended; and the newest one, where it ended without a network, so that somebody sees why. */
export function Trainings(): ReactNode {
  const studies = useLive((state) => state.studies);
  const ours = [...studies.values()].filter(({ kind }) => kind === "school").toSorted((a, b) => b.id - a.id);
  const shown = ours.filter(
    (study, at) => !studyEnded(study.state) || (at === 0 && ["failed", "refused"].includes(study.state)),
  );
  return shown.map((study) => <OneTraining key={study.id} study={study} />);
}

function OneTraining({ study }: { study: Study }): ReactNode {
  const client = useQueryClient();
  const blocked = useActReason("studies.run");
  const cancel = useMutation({
    mutationFn: () => cancelStudy(study.id),
    onSettled: () => void client.invalidateQueries({ queryKey: STUDIES }),
  });
  const { progress } = study;
  const asked = study.cancel_requested
    ? "It is being cancelled."
    : cancel.isPending
      ? "The order is being sent."
      : null;
  return (
    <article className="training" aria-label={`Training of study ${study.id}`}>
      <p className="section-body" role="status">
        <StateText look={studyLook(study)} />{" "}
        <Link to="/studies/$id" params={{ id: String(study.id) }}>
          study {study.id}
        </Link>
        , {study.name}
        {progress && `: ${progress.what}`}
        {progress?.seconds_left != null &&
          !studyEnded(study.state) &&
          `, about ${duration(progress.seconds_left)} left`}
        {study.attempts > 1 && " (went on from its checkpoint)"}{" "}
        {!studyEnded(study.state) && (
          <Button reason={asked ?? blocked} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        )}
      </p>
      {study.error && <ProblemNote problem={study.error} />}
      {cancel.error && <ProblemNote problem={asProblem(cancel.error)} onDismiss={() => cancel.reset()} />}
      {progress?.curve && (
        <>
          <p className="section-body t2">
            <Mark origin="simulated" /> simulated: 200 instances that it never saw, by the {gamesText(progress.curve)}
          </p>
          <CurvePlots curve={progress.curve} steps={progress.of} />
        </>
      )}
    </article>
  );
}
