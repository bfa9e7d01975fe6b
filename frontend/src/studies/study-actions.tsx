/** What may be done with a study, each with its effect beside it or the reason why not. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { cancelStudy, removeStudy, repeatStudy } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { STUDIES } from "@/api/study-queries";
import type { Study } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { studyEnded } from "@/states/derived";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Confirm } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";

export function StudyActions({ study }: { study: Study }): ReactNode {
  const client = useQueryClient();
  const navigate = useNavigate();
  const onSettled = () => void client.invalidateQueries({ queryKey: STUDIES });
  const cancel = useMutation({ mutationFn: () => cancelStudy(study.id), onSettled });
  const repeat = useMutation({
    mutationFn: () => repeatStudy(study.id),
    onSuccess: ({ id }) => void navigate({ to: "/studies/$id", params: { id: String(id) } }),
    onSettled,
  });
  const blocked = useActReason("studies.run");
  const busy = cancel.isPending || repeat.isPending ? "The order is being sent." : blocked;
  const ended = studyEnded(study.state);
  const done = study.state === "done";
  const refused = cancel.error ?? repeat.error;
  return (
    <Section title="Actions" padded>
      <div className="actions-list">
        <div className="actions-grid">
          <Button
            onClick={() => repeat.mutate()}
            reason={done ? busy : "Only what is done can be repeated."}
            reasonSide="below-left"
          >
            Repeat
          </Button>
          <span className={done ? "t2" : "t3"}>
            {done ? "as a new study, which reports whether all figures are the same" : "when it is done"}
          </span>
          <Link className="btn" to="/studies/new" search={{ from: study.id }}>
            Edit
          </Link>
          <span className="t2">its scenario, as a new study</span>
          {ended ? <Remove study={study} /> : <Cancel study={study} busy={busy} onCancel={() => cancel.mutate()} />}
        </div>
        {refused && (
          <ProblemNote
            problem={asProblem(refused)}
            onDismiss={() => {
              cancel.reset();
              repeat.reset();
            }}
          />
        )}
      </div>
    </Section>
  );
}

function Cancel(props: { study: Study; busy: string | null; onCancel: () => void }): ReactNode {
  const asked = props.study.cancel_requested ? "It is being cancelled." : null;
  return (
    <>
      <Button look="danger" onClick={props.onCancel} reason={asked ?? props.busy} reasonSide="below-left">
        Cancel
      </Button>
      <span className="t2">cancels it; partial results are discarded</span>
    </>
  );
}

function Remove({ study }: { study: Study }): ReactNode {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const navigate = useNavigate();
  const blocked = useActReason("studies.run");
  const removal = useMutation({
    mutationFn: () => removeStudy(study.id, study.version),
    onSuccess: () => {
      void navigate({ to: "/studies" });
      void client.invalidateQueries({ queryKey: STUDIES });
    },
  });
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)} reason={blocked} reasonSide="below-left">
        Remove
      </Button>
      <span className="t2">forgets it{study.state === "done" && " and what it found"}</span>
      <Confirm
        open={asking}
        title={`Remove study ${study.id}`}
        action={`Remove study ${study.id}`}
        busy={removal.isPending}
        onConfirm={() => removal.mutate()}
        onClose={() => {
          removal.reset();
          setAsking(false);
        }}
      >
        <p>
          {study.name} and all its results are deleted. Running its scenario again gives the same figures with the same
          versions of engine and twin.
        </p>
        <CopyButton text={cli.removeStudy(study.id)} curl={curls.removeStudy(study.id)} />
        {removal.error && <ProblemNote problem={asProblem(removal.error)} />}
      </Confirm>
    </>
  );
}
