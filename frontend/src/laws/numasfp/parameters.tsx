/** The law's parameters in the whole fleet: what they are, and a form for those that can be changed. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { changeNumasfpParameters, numasfpParametersQuery } from "@/api/numasfp-queries";
import { asProblem, fieldMessages } from "@/api/problem";
import type { NumasfpParametersChange } from "@/api/types";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { changedOf, FIELDS, type ParameterDraft, parameterText } from "./parameter-draft";

export function Parameters(): ReactNode {
  const { data, error } = useQuery(numasfpParametersQuery);
  const [draft, setDraft] = useState<ParameterDraft>({});
  const client = useQueryClient();
  const role = useActReason("automation.policy");
  const save = useMutation({
    mutationFn: (change: NumasfpParametersChange) => changeNumasfpParameters(data?.tag ?? "", change),
    onSuccess: () => setDraft({}),
    onSettled: () => void client.invalidateQueries({ queryKey: numasfpParametersQuery.queryKey }),
  });
  if (error && !data) return <ProblemNote problem={asProblem(error)} />;
  if (!data) return null;
  const { changed, errors } = changedOf(data.parameters, draft);
  const problem = save.error ? asProblem(save.error) : null;
  const refused = fieldMessages(problem?.errors ?? []);
  const none = Object.keys(changed).length === 0 ? "Nothing has been changed." : null;
  const wrong = Object.keys(errors).length > 0 ? "A field above is not valid." : null;
  const reason = role ?? (save.isPending ? "It is being saved." : null) ?? wrong ?? none;
  return (
    <Section title="When it moves chains" note="of the whole fleet" padded>
      <form
        aria-label="Parameters of NUMASFP’s law"
        onSubmit={(event) => {
          event.preventDefault();
          if (!reason) save.mutate(changed);
        }}
      >
        <div className="fields policy-fields">
          {FIELDS.map(({ key, label, unit, hint }) => (
            <Field
              key={key}
              label={label}
              unit={unit}
              hint={hint}
              inputMode="decimal"
              value={draft[key] ?? parameterText(data.parameters[key])}
              onChange={(text) => setDraft({ ...draft, [key]: text })}
              error={errors[key] ?? refused(key)}
            />
          ))}
        </div>
        <div className="row-actions">
          <Button type="submit" reason={reason}>
            Set parameters
          </Button>
          {!none && !wrong && (
            <CopyButton text={cli.setNumasfpParameters(changed)} curl={curls.setNumasfpParameters(changed)} />
          )}
        </div>
        {problem && <ProblemNote problem={problem} onDismiss={() => save.reset()} />}
      </form>
    </Section>
  );
}
