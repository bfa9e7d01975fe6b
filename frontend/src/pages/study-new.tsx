/** Writes a study as a scenario file and starts it. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useState } from "react";
import { FileTrigger, Button as Press } from "react-aria-components";
import { startStudy } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { STUDIES, studyScenarioQuery } from "@/api/study-queries";
import type { Problem } from "@/api/types";
import { sizeText } from "@/lib/format";
import { cli } from "@/session/cli";
import { useActReason } from "@/session/permission";
import { EXAMPLES, exampleOf } from "@/studies/examples";
import { forgetText, keepText, keptText } from "@/studies/keep-text";
import { ScenarioKey } from "@/studies/scenario-key";
import { TomlEditor } from "@/studies/toml-editor";
import { lineOf } from "@/studies/toml-lines";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Side } from "@/ui/side";

/** As the console takes it. */
const MAX_BYTES = 64 * 1024;

const route = getRouteApi("/shell/studies/new");

export function StudyNewPage(): ReactNode {
  const { example, from } = route.useSearch();
  const model = useQuery({ ...studyScenarioQuery(from ?? 0), enabled: from !== undefined });
  const first =
    from === undefined ? (exampleOf(example)?.toml ?? keptText() ?? EXAMPLES[0]?.toml ?? "") : model.data?.toml;
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle path={<Link to="/studies">Studies</Link>} name="New study" />
      <div className="columns">
        {first !== undefined && <Form key={`${example} ${from}`} first={first} />}
        {first === undefined && (
          <div className="main">
            {model.error ? (
              <ProblemNote problem={asProblem(model.error)} />
            ) : (
              <p className="empty late">Loading the scenario of study {from}</p>
            )}
          </div>
        )}
        <Side label="Fields of a scenario">
          <ScenarioKey />
        </Side>
      </div>
    </main>
  );
}

function Form({ first }: { first: string }): ReactNode {
  const [toml, setToml] = useState(first);
  const [replaced, setReplaced] = useState<string | null>(null);
  const [unread, setUnread] = useState<string | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const blocked = useActReason("studies.run");
  const start = useMutation({
    mutationFn: startStudy,
    onSuccess: ({ id }) => {
      forgetText();
      void client.invalidateQueries({ queryKey: STUDIES });
      void navigate({ to: "/studies/$id", params: { id: String(id) } });
    },
  });
  const write = (text: string) => {
    setToml(text);
    setUnread(null);
    keepText(text);
    // What was refused was another text.
    start.reset();
  };
  // What was written by hand can be had back.
  const begin = (text: string) => {
    setReplaced(EXAMPLES.some((example) => example.toml === toml) || toml === "" ? null : toml);
    write(text);
  };
  const problem = start.error ? asProblem(start.error) : null;
  const bytes = new TextEncoder().encode(toml).length;
  const reason = start.isPending ? "The study is being sent." : (sizeReason(bytes) ?? blocked);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!reason) start.mutate(toml);
  };
  return (
    <form className="main study-form" aria-label="New study" onSubmit={submit}>
      <Section title="Scenario" note="TOML; equal scenarios give equal figures" padded>
        <div className="study-sources">
          <span className="t2">Start from</span>
          {EXAMPLES.map(({ key, text, toml: content, asks }) => (
            <Button key={key} small title={asks} onClick={() => begin(content)}>
              {text}
            </Button>
          ))}
          <FileTrigger acceptedFileTypes={[".toml"]} onSelect={(files) => void take(files?.[0], begin, setUnread)}>
            <Press className="btn small">A file</Press>
          </FileTrigger>
          {replaced !== null && replaced !== toml && (
            <Button look="quiet" small onClick={() => write(replaced)}>
              Back to what was written
            </Button>
          )}
          {unread && (
            <span className="bad" role="alert">
              {unread}
            </span>
          )}
        </div>
        <TomlEditor
          label="Scenario"
          value={toml}
          onChange={write}
          hint={`${sizeText(bytes)} of at most ${sizeText(MAX_BYTES)}; it is kept in this tab until it is started`}
          errors={refusals(toml, problem)}
        />
      </Section>
      {problem && refusals(toml, problem).length === 0 && (
        <ProblemNote problem={problem} onDismiss={() => start.reset()} />
      )}
      <div className="section-body row-actions">
        <Button look="primary" type="submit" reason={reason} reasonSide="below-left">
          Run study
        </Button>
        <CopyButton text={cli.runStudy("study.toml")} />
      </div>
    </form>
  );
}

function sizeReason(bytes: number): string | null {
  if (bytes === 0) return "There is no scenario: write one, or start from an example.";
  return bytes > MAX_BYTES ? `The scenario has ${sizeText(bytes)}; the most is ${sizeText(MAX_BYTES)}.` : null;
}

/** What the console said of the text, each with its line. */
function refusals(toml: string, problem: Problem | null): { text: string; line: number | null }[] {
  return (problem?.errors ?? [])
    .filter(({ field }) => /^scenario_toml(\.|$)/.test(field))
    .map(({ field, message }) => {
      const inside = field.replace(/^scenario_toml\.?/, "");
      return {
        text: inside ? `${inside}: ${message}` : `The scenario ${message}`,
        line: lineOf(toml, inside, message),
      };
    });
}

async function take(file: File | undefined, onText: (text: string) => void, onRefused: (why: string) => void) {
  if (!file) return;
  if (file.size > MAX_BYTES) {
    onRefused(`${file.name} has ${sizeText(file.size)}; the most is ${sizeText(MAX_BYTES)}.`);
    return;
  }
  try {
    onText(new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer()));
  } catch {
    onRefused(`${file.name} is not UTF-8 text.`);
  }
}
