/** How far re-placement may act by itself: the policy in force, what its law does at present, and a form to change it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { Checkbox } from "react-aria-components";
import { setPolicy } from "@/api/actions";
import { policyQuery } from "@/api/policy-query";
import { asProblem, fieldMessages } from "@/api/problem";
import type { Policy, PolicyView } from "@/api/types";
import { ageOrTime, timesSign } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Window, WindowActions } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";
import { draftOf, EFFECTS, FIELDS, MODES, type PolicyDraft, policyOptions, readPolicy } from "./policy-draft";

export function PolicyButton(): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Policy</Button>
      <Window open={open} title="Re-placement policy" onClose={() => setOpen(false)}>
        {open && <PolicyWindow />}
      </Window>
    </>
  );
}

function PolicyWindow(): ReactNode {
  const { data, error } = useQuery(policyQuery);
  if (error && !data) return <ProblemNote problem={asProblem(error)} />;
  if (!data) return <p className="t2">Loading the policy</p>;
  return (
    <>
      <Status view={data} />
      <PolicyForm key={data.version} view={data} />
    </>
  );
}

function Status({ view }: { view: PolicyView }): ReactNode {
  const now = useNow();
  return (
    <p role="status">
      <b className="strong">{timesSign(view.status)}</b>
      <span className="t2">
        . Last evaluated {view.evaluated_at ? ageOrTime(view.evaluated_at, now) : "never"}; set by {view.changed_by}{" "}
        {ageOrTime(view.changed_at, now)}.
      </span>
    </p>
  );
}

function PolicyForm({ view }: { view: PolicyView }): ReactNode {
  const form = useId();
  const [draft, setDraft] = useState<PolicyDraft>(() => draftOf(view.policy));
  const client = useQueryClient();
  const role = useActReason("automation.policy");
  const save = useMutation({
    mutationFn: (policy: Policy) => setPolicy(view.version, policy),
    onSuccess: (saved) => client.setQueryData(policyQuery.queryKey, saved),
    onError: () => void client.invalidateQueries({ queryKey: policyQuery.queryKey }),
  });
  const { policy, errors } = readPolicy(draft);
  const options = policy ? policyOptions(policy, view.policy) : "";
  const problem = save.error ? asProblem(save.error) : null;
  const serverError = fieldMessages(problem?.errors ?? []);
  const pending = save.isPending ? "It is being saved." : null;
  const reason =
    role ?? pending ?? (policy ? (options ? null : "Nothing has been changed.") : "A field above is not valid.");
  return (
    <form
      id={form}
      aria-label="Re-placement policy"
      onSubmit={(event) => {
        event.preventDefault();
        if (policy && !reason) save.mutate(policy);
      }}
    >
      <Segmented label="Mode" value={draft.mode} options={MODES} onChange={(mode) => setDraft({ ...draft, mode })} />
      <p className="t2">{EFFECTS[draft.mode]}</p>
      <div className="fields policy-fields">
        {FIELDS.map(({ key, label, unit, hint }) => (
          <Field
            key={key}
            label={label}
            unit={unit}
            hint={hint}
            inputMode="decimal"
            value={draft[key]}
            onChange={(text) => setDraft({ ...draft, [key]: text })}
            error={errors[key] ?? serverError(key)}
          />
        ))}
      </div>
      <Checkbox className="check" isSelected={draft.races} onChange={(races) => setDraft({ ...draft, races })}>
        <span className="box" aria-hidden="true" />
        <span>
          Races{" "}
          <span className="t3">
            other algorithms also plan in the background for every applied plan, while no other planning is waiting
          </span>
        </span>
      </Checkbox>
      {problem && <ProblemNote problem={problem} onDismiss={() => save.reset()} />}
      <WindowActions>
        {options && policy && <CopyButton text={cli.setPolicy(options)} curl={curls.setPolicy(view.version, policy)} />}
        <Button look="primary" type="submit" form={form} reasonSide="above" reason={reason}>
          Set policy
        </Button>
      </WindowActions>
    </form>
  );
}
