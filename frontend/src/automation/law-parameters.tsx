/** A law's parameters in the whole fleet: what they are, and a form for those that can be changed. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { asProblem, fieldMessages } from "@/api/problem";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Picker } from "@/ui/select";
import { changedOf, type ParameterDraft, type ParameterField, parameterText } from "./parameter-draft";

/** By name; null: there is no limit. */
export type Changed = Readonly<Record<string, number | string | null>>;
type Value = number | string | null | undefined;

/** One law's: how they are read and changed. */
export interface LawParametersOf {
  /** "NUMASFP’s" */
  readonly whose: string;
  /** Of the section: "When it moves chains". */
  readonly title: string;
  readonly fields: readonly ParameterField[];
  readonly queryKey: readonly string[];
  /** With the tag that a change must name. */
  readonly read: () => Promise<{ parameters: Readonly<Record<string, Value>>; tag: string }>;
  readonly change: (tag: string, changed: Changed) => Promise<unknown>;
  readonly cli: (changed: Changed) => string;
  readonly curl: (changed: Changed) => string;
}

export function LawParameters({ of }: { of: LawParametersOf }): ReactNode {
  const { data, error } = useQuery({ queryKey: of.queryKey, queryFn: of.read });
  const [draft, setDraft] = useState<ParameterDraft>({});
  /** As parameters were when the draft was begun: what another tab has set since is refused once, not overwritten. */
  const [seen, setSeen] = useState<string | null>(null);
  const client = useQueryClient();
  const role = useActReason("automation.policy");
  const save = useMutation({
    mutationFn: (change: Changed) => of.change(seen ?? data?.tag ?? "", change),
    onSuccess: () => setDraft({}),
    onSettled: () => {
      setSeen(null);
      void client.invalidateQueries({ queryKey: of.queryKey });
    },
  });
  if (error && !data) return <ProblemNote problem={asProblem(error)} />;
  if (!data) return null;
  const { changed, errors } = changedOf(data.parameters, draft, of.fields);
  const problem = save.error ? asProblem(save.error) : null;
  const refused = fieldMessages(problem?.errors ?? []);
  const none = Object.keys(changed).length === 0 ? "Nothing has been changed." : null;
  const wrong = Object.keys(errors).length > 0 ? "A field above is not valid." : null;
  const reason = role ?? (save.isPending ? "It is being saved." : null) ?? wrong ?? none;
  return (
    <Section title={of.title} note="of the whole fleet" padded>
      <form
        aria-label={`Parameters of ${of.whose} law`}
        onSubmit={(event) => {
          event.preventDefault();
          if (!reason) save.mutate(changed);
        }}
      >
        <div className="fields policy-fields">
          {of.fields.map((field) => {
            const text = draft[field.key] ?? parameterText(data.parameters[field.key]);
            const onChange = (changedTo: string) => {
              setSeen(seen ?? data.tag);
              setDraft({ ...draft, [field.key]: changedTo });
            };
            return "choices" in field ? (
              <Picker key={field.key} label={field.label} value={text} choices={field.choices} onChange={onChange} />
            ) : (
              <Field
                key={field.key}
                label={field.label}
                unit={field.unit}
                hint={field.hint}
                inputMode="decimal"
                value={text}
                onChange={onChange}
                error={errors[field.key] ?? refused(field.key)}
              />
            );
          })}
        </div>
        <div className="row-actions">
          <Button type="submit" reason={reason}>
            Set parameters
          </Button>
          {!none && !wrong && <CopyButton text={of.cli(changed)} curl={of.curl(changed)} />}
        </div>
        {problem && <ProblemNote problem={problem} onDismiss={() => save.reset()} />}
      </form>
    </Section>
  );
}
