/** Registers an NF type or changes one: what it runs, how it is called, what it starts with. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { registerNfType, updateNfType } from "@/api/actions";
import { MODELS } from "@/api/model-queries";
import { asProblem, problemKind } from "@/api/problem";
import { NF_TYPES } from "@/api/queries";
import type { FieldError, NfType, NfTypeChange, NfTypeNew, Problem } from "@/api/types";
import { count } from "@/lib/format";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Picker } from "@/ui/select";
import { ownDefaults } from "./config";
import { ConfigFields, ConfigOptions } from "./config-fields";
import { checkType, draftOf, emptyType, makesVersion, NAME_RULE, SHORT_RULE, type TypeDraft } from "./type-draft";

/** A type that is changed, as it was read. */
export interface Stored {
  readonly type: NfType;
  readonly tag: string;
}

export function TypeForm(props: {
  builtIn: readonly NfType[];
  /** Null: a new one. */
  stored: Stored | null;
  /** What a new one runs at first. */
  implementation: string;
  onDone: (type: NfType) => void;
  /** Reads the type again, after somebody else changed it. */
  onReread: () => void;
}): ReactNode {
  const { builtIn, stored } = props;
  const form = useTypeForm(props);
  const { draft, set, message, errors } = form;
  const runs = builtIn.find(({ name }) => name === draft.implementation);
  return (
    <form className="type-form" onSubmit={form.submit} aria-label="NF type" noValidate>
      <div className="type-form-main">
        <Section title="Program" note="a built-in type, unchanged" padded>
          <div className="fields">
            {stored ? (
              <p className="t2">
                runs <b className="strong">{draft.implementation}</b>; to run another program, register another NF type
              </p>
            ) : (
              <Picker
                label="Runs"
                value={draft.implementation || null}
                choices={builtIn.map(({ name, summary }) => ({ key: name, text: name, note: summary }))}
                onChange={(implementation) => set({ implementation })}
                placeholder="choose a built-in type"
              />
            )}
            {message("implementation") && <p className="message bad">{message("implementation")}</p>}
          </div>
        </Section>
        <Section title="Names" padded>
          <div className="fields">
            {!stored && (
              <Field
                label="Name"
                value={draft.name}
                onChange={(name) => set({ name })}
                error={message("name")}
                hint={`${NAME_RULE}; used in chains, plans and telemetry`}
                autoFocus
              />
            )}
            <Field
              label="Short name"
              value={draft.shortName}
              onChange={(shortName) => set({ shortName })}
              error={message("short_name")}
              placeholder={draft.name.slice(0, 8)}
              hint={`shown in the cells of the fleet map: ${SHORT_RULE}`}
            />
            <Field
              label="Summary"
              value={draft.summary}
              onChange={(summary) => set({ summary })}
              error={message("summary")}
              placeholder={runs?.summary ?? ""}
              hint="shown in lists; empty: that of the program"
            />
          </div>
        </Section>
        <Section title="Configuration" note="own defaults; a chain can still set other values" padded>
          <div className="fields nf-fields">
            <ConfigFields
              config={draft.config}
              type={runs}
              at="config"
              errors={errors}
              onChange={(config) => set({ config })}
            />
          </div>
        </Section>
      </div>
      <div className="type-form-options">
        <Section title="Options" note={runs ? `of ${runs.name}` : "choose the program first"} padded>
          {runs && <ConfigOptions type={runs} />}
        </Section>
      </div>
      <FormFoot form={form} stored={stored} onReread={props.onReread} />
    </form>
  );
}

type Form = ReturnType<typeof useTypeForm>;

function FormFoot(props: { form: Form; stored: Stored | null; onReread: () => void }): ReactNode {
  const { form, stored, onReread } = props;
  const blocked = useActReason("nf-types.write");
  const { asked, problem, problemShown } = form;
  const changed = problem !== null && problemKind(problem) === "precondition-failed";
  const nothing = stored && asked && !form.differs ? "Nothing has been changed." : null;
  return (
    <>
      {problemShown && (
        <div className="type-form-problem">
          <ProblemNote problem={problemShown} onDismiss={form.dismiss}>
            {changed && (
              <Button small onClick={onReread}>
                Discard these changes and reload
              </Button>
            )}
          </ProblemNote>
        </div>
      )}
      <div className="apply-bar">
        <span>
          {stored ? (
            <>
              <b className="strong">{stored.type.name}</b>{" "}
              {form.newVersion
                ? `version ${stored.type.version} → ${stored.type.version + 1}: models of version ${stored.type.version} become stale; running NFs keep theirs`
                : `stays version ${stored.type.version}: its configuration does not change`}
            </>
          ) : (
            "A chain that uses it before it is profiled waits for the profile, or is planned with the assumed figures of its program."
          )}
        </span>
        {form.tried && form.errors.length > 0 && (
          <span className="bad" role="status">
            {count(form.errors.length, "field")} to correct: {form.errors.map(({ field }) => field).join(", ")}
          </span>
        )}
        <span className="end">
          {asked && <CopyButton {...form.commands(asked)} />}
          <Button
            type="submit"
            look="primary"
            reason={form.busy ? "It is being sent." : (blocked ?? nothing)}
            reasonSide="above"
          >
            {stored ? "Save" : "Register"}
          </Button>
        </span>
      </div>
    </>
  );
}

/** Fields that have a place of their own in the form; other messages stand above its foot. */
const PLACES = /^(implementation|name|short_name|summary|config(\..*)?)$/;

function useTypeForm(props: {
  builtIn: readonly NfType[];
  stored: Stored | null;
  implementation: string;
  onDone: (type: NfType) => void;
}) {
  const { builtIn, stored, onDone } = props;
  const [before] = useState<TypeDraft>(() => firstDraft(props));
  const [draft, setDraft] = useState(before);
  const [tried, setTried] = useState(false);
  const client = useQueryClient();
  const sending = useMutation({
    mutationFn: (asked: NfTypeNew) => send(asked, stored),
    onSuccess: (type) => {
      for (const queryKey of [NF_TYPES, MODELS]) void client.invalidateQueries({ queryKey });
      onDone(type);
    },
  });
  const { asked, errors: own } = checkType(draft);
  const problem = sending.error ? asProblem(sending.error) : null;
  const refused: readonly FieldError[] = problem?.errors ?? [];
  const errors = [...(tried ? own : []), ...refused];
  const implementation = builtIn.find(({ name }) => name === draft.implementation);
  const storedConfig = stored && implementation ? ownDefaults(stored.type, implementation) : {};
  return {
    draft,
    tried,
    errors,
    asked,
    problem,
    problemShown: shownProblem(problem, refused),
    busy: sending.isPending,
    differs: JSON.stringify(draft) !== JSON.stringify(before),
    newVersion: asked !== null && makesVersion(asked.config ?? {}, storedConfig),
    message: (field: string) => errors.find((error) => error.field === field)?.message,
    set(part: Partial<TypeDraft>) {
      setDraft({ ...draft, ...part });
      // What the console refused was another content.
      sending.reset();
    },
    commands(what: NfTypeNew) {
      const words = { shortName: what.short_name ?? null, summary: what.summary ?? null };
      if (stored === null) {
        const text = cli.registerNfType(what.name, what.implementation, what.config ?? {}, words);
        return { text, curl: curls.registerNfType(what) };
      }
      const text = cli.updateNfType(what.name, what.config ?? {}, storedConfig, words);
      return { text, curl: curls.updateNfType(what.name, stored.tag, changeOf(what)) };
    },
    dismiss: () => sending.reset(),
    submit(event: FormEvent) {
      event.preventDefault();
      setTried(true);
      if (asked && !sending.isPending) sending.mutate(asked);
    },
  };
}

function firstDraft(props: { builtIn: readonly NfType[]; stored: Stored | null; implementation: string }): TypeDraft {
  const { builtIn, stored } = props;
  const runs = builtIn.find(({ name }) => name === (stored?.type.implementation ?? props.implementation));
  return stored && runs ? draftOf(stored.type, runs) : emptyType(runs?.name ?? "");
}

function send(asked: NfTypeNew, stored: Stored | null): Promise<NfType> {
  if (!stored) return registerNfType(asked);
  return updateNfType(asked.name, stored.tag, changeOf(asked));
}

/** What of a type may change. */
function changeOf({ name: _named, implementation: _kept, ...change }: NfTypeNew): NfTypeChange {
  return change;
}

/** Without what already stands beside its field; null where nothing is left to say. */
function shownProblem(problem: Problem | null, errors: readonly FieldError[]): Problem | null {
  const homeless = errors.filter(({ field }) => !PLACES.test(field));
  return problem && (errors.length === 0 || homeless.length > 0) ? { ...problem, errors: homeless } : null;
}
