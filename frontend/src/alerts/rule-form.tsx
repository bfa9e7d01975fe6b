/** The form of one rule. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { changeRule, RULES, type RuleChange } from "@/api/alert-queries";
import { asProblem, fieldMessages } from "@/api/problem";
import type { AlertRule, AlertSeverity } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useRoleReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { WindowActions } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";
import { draftOf, type RuleDraft, readDraft, ruleOptions } from "./rule-draft";
import { SEVERITIES } from "./words";

export function RuleForm({ rule, onDone }: { rule: AlertRule; onDone: () => void }): ReactNode {
  const form = useId();
  const client = useQueryClient();
  const [draft, setDraft] = useState<RuleDraft>(() => draftOf(rule));
  const role = useRoleReason("alerts.rules");
  const save = useMutation({
    mutationFn: (change: RuleChange) => changeRule(rule, change),
    onSuccess: onDone,
    onSettled: () => void client.invalidateQueries({ queryKey: RULES }),
  });
  const { change, errors } = readDraft(draft, rule);
  const options = change ? ruleOptions(change, rule) : "";
  const problem = save.error ? asProblem(save.error) : null;
  const serverError = fieldMessages(problem?.errors ?? []);
  const pending = save.isPending ? "It is being saved." : null;
  const reason =
    role ?? pending ?? (change ? (options ? null : "Nothing has been changed.") : "A field above is not valid.");
  return (
    <form
      id={form}
      aria-label={rule.title}
      onSubmit={(event) => {
        event.preventDefault();
        if (change && !reason) save.mutate(change);
      }}
    >
      <p className="t2">{rule.summary}.</p>
      <Segmented<"on" | "off">
        label="State"
        value={draft.enabled ? "on" : "off"}
        options={[
          { key: "on", text: "on" },
          { key: "off", text: "off" },
        ]}
        onChange={(key) => setDraft({ ...draft, enabled: key === "on" })}
      />
      <Segmented<AlertSeverity>
        label="Severity"
        value={draft.severity}
        options={SEVERITIES.map((key) => ({ key, text: key }))}
        onChange={(severity) => setDraft({ ...draft, severity })}
      />
      <div className="fields policy-fields">
        <Field
          label="Fires after"
          unit="s"
          inputMode="decimal"
          hint="how long the condition must hold"
          value={draft.fireAfter}
          onChange={(fireAfter) => setDraft({ ...draft, fireAfter })}
          error={errors.fire_after_s ?? serverError("fire_after_s")}
        />
        <Field
          label="Resolves after"
          unit="s"
          inputMode="decimal"
          hint="how long it must be absent"
          value={draft.resolveAfter}
          onChange={(resolveAfter) => setDraft({ ...draft, resolveAfter })}
          error={errors.resolve_after_s ?? serverError("resolve_after_s")}
        />
        <Field
          label="Sent again"
          unit="s"
          inputMode="decimal"
          hint="while nobody acknowledges it; 0: never"
          value={draft.repeatAfter}
          onChange={(repeatAfter) => setDraft({ ...draft, repeatAfter })}
          error={errors.repeat_after_s ?? serverError("repeat_after_s")}
        />
        {rule.parameters.map(({ name, title, unit }) => (
          <Field
            key={name}
            label={title}
            unit={unit}
            inputMode="decimal"
            value={draft.parameters[name] ?? ""}
            onChange={(text) => setDraft({ ...draft, parameters: { ...draft.parameters, [name]: text } })}
            error={errors[`parameters.${name}`] ?? serverError(`parameters.${name}`)}
          />
        ))}
      </div>
      {problem && <ProblemNote problem={problem} onDismiss={() => save.reset()} />}
      <WindowActions>
        {options && change && (
          <CopyButton
            text={cli.setAlertRule(rule.kind, options)}
            curl={curls.setAlertRule(rule.kind, rule.version, change)}
          />
        )}
        <Button look="primary" type="submit" form={form} reasonSide="above" reason={reason}>
          Set rule
        </Button>
      </WindowActions>
    </form>
  );
}
