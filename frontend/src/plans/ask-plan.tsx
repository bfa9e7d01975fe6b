/** Asks for a plan: one press with what is set, or after a look at algorithm, time limit and most moves. */

import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Dialog, DialogTrigger, Popover, Button as Press } from "react-aria-components";
import { askForPlan, type PlanIntent } from "@/api/actions";
import { asProblem, fieldMessages } from "@/api/problem";
import type { Plan, Solving } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { draftOf, readSolving, type SolvingDraft } from "./solving";
import { SolvingFields } from "./solving-fields";

/** Asks, and shows the plan that is being made. */
export function useAskPlan(intent: PlanIntent | null) {
  const navigate = useNavigate();
  return useMutation<Plan, Error, Solving>({
    mutationFn: (solving) => {
      if (intent === null) throw new Error("This cannot be planned again here.");
      return askForPlan(intent, solving);
    },
    onSuccess: ({ id }) => void navigate({ to: "/plans/$planId", params: { planId: String(id) } }),
  });
}

export function AskPlan(props: {
  /** What the button says: a verb with its object. */
  label: string;
  /** What the form plans, for its heading: "Re-place the fleet". */
  title: string;
  intent: PlanIntent | null;
  solving: Solving;
  ask: ReturnType<typeof useAskPlan>;
  reason: string | null;
  side?: "below" | "above";
}): ReactNode {
  const { label, title, intent, solving, ask, side = "below" } = props;
  const reason = ask.isPending ? "A plan is being made." : props.reason;
  return (
    <span className="split">
      <Button onClick={() => ask.mutate(solving)} reason={reason} reasonSide={side}>
        {label}
      </Button>
      <DialogTrigger>
        <Press className="btn" aria-label={`Options: ${title}`}>
          Options
        </Press>
        <Popover className="popover options-popover" placement={side === "above" ? "top end" : "bottom end"}>
          <Dialog aria-label={`Options: ${title}`}>
            <OptionsForm title={title} intent={intent} solving={solving} ask={ask} reason={reason} />
          </Dialog>
        </Popover>
      </DialogTrigger>
    </span>
  );
}

function OptionsForm(props: {
  title: string;
  intent: PlanIntent | null;
  solving: Solving;
  ask: ReturnType<typeof useAskPlan>;
  reason: string | null;
}): ReactNode {
  const { title, intent, ask, reason } = props;
  const [draft, setDraft] = useState<SolvingDraft>(() => draftOf(props.solving));
  const { solving, errors } = readSolving(draft, props.solving.seed);
  const problem = ask.error ? asProblem(ask.error) : null;
  const messageOf = fieldMessages(problem?.errors ?? []);
  const own: Record<string, string | undefined> = errors;
  return (
    <form
      className="options-form"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        if (solving && !reason) ask.mutate(solving);
      }}
    >
      <h2>{title}</h2>
      <SolvingFields
        draft={draft}
        set={(part) => setDraft({ ...draft, ...part })}
        message={(field) => own[field] ?? messageOf(field)}
      />
      {problem && <ProblemNote problem={problem} onDismiss={() => ask.reset()} />}
      <div className="row-actions">
        {solving && intent && <CopyButton text={cli.askPlan(intent, solving)} curl={curls.askPlan(intent, solving)} />}
        <Button look="primary" type="submit" reason={reason ?? (solving ? null : "A field above is not valid.")}>
          Plan
        </Button>
      </div>
    </form>
  );
}
