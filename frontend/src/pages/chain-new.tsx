/** New chain: NFs in order from the catalogue, traffic and objectives; submitting it makes a plan to review. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { submitChain, submitChains } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { nfTypesQuery } from "@/api/queries";
import type { ChainSpec, FieldError, NfType } from "@/api/types";
import { ChainStrip } from "@/chains/chain-strip";
import {
  chainFile,
  check,
  type Draft,
  headersOf,
  movedNf,
  secretOptions,
  withNf,
  withoutNf,
  withoutSecrets,
} from "@/chains/draft";
import { atDraftFields, runsOf } from "@/chains/draft-path";
import { IntentFields } from "@/chains/intent-fields";
import { forgetDraft, loadDraft, saveDraft } from "@/chains/keep-draft";
import { NewChainSection } from "@/chains/new-chain-prediction";
import { NfEditor } from "@/chains/nf-editor";
import { StartFrom } from "@/chains/start-from";
import { checkTraffic } from "@/chains/traffic-draft";
import { trafficWords } from "@/chains/traffic-words";
import { useNewChain } from "@/chains/use-new-chain";
import { count } from "@/lib/format";
import { ImportGroup } from "@/opennetvm/import-group";
import { runWords } from "@/plans/run-words";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Shape } from "@/ui/marks";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";

export function ChainNewPage(): ReactNode {
  const form = useChainForm();
  const { draft, selected, errors } = form;
  const catalogue = useQuery(nfTypesQuery);
  const types = catalogue.data?.items ?? [];
  const chosen = draft.nfs[selected];
  const foresight = useNewChain(draft);
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle
        path={<Link to="/chains">Chains</Link>}
        name="New chain"
        facts={<span>draft, kept in this tab</span>}
        actions={
          <>
            <ImportGroup onDraft={form.fill} />
            <Button look="quiet" onClick={form.clear}>
              Clear
            </Button>
          </>
        }
      />
      <form className="chain-form" onSubmit={form.submit} aria-label="New chain" noValidate>
        <div className="chain-types">
          <Section title="NF types" note="click to add">
            {catalogue.error && <ProblemNote problem={asProblem(catalogue.error)} />}
            {types.map((type) => (
              <button key={type.name} type="button" className="nf-type" onClick={() => form.add(type)}>
                <span>
                  <b>{type.name}</b>
                  <span className="t3">{type.library}</span>
                </span>
                <span className="t2">{type.summary}</span>
              </button>
            ))}
            <p className="section-body t3">
              In the chain: <kbd>←</kbd> <kbd>→</kbd> choose, <kbd>Shift ←</kbd> <kbd>Shift →</kbd> move, <kbd>Del</kbd>{" "}
              removes.
            </p>
          </Section>
        </div>
        <div className="chain-main">
          <Section title="Chain" note={count(draft.nfs.length, "NF")}>
            <ChainStrip
              nfs={draft.nfs}
              selected={selected}
              errors={errors}
              placed={foresight.several ? undefined : foresight.answer?.nfs}
              runs={runsOf(draft)}
              onSelect={form.select}
              onMove={form.move}
              onRemove={form.remove}
            />
            {draft.nfs.length === 0 && (
              <div className="section-body">
                <p className={form.message("nfs") ? "bad" : "t2"}>
                  {form.message("nfs") ?? "No NF yet. Choose the first from the list of NF types, or"}
                </p>
                <StartFrom types={types} onDraft={form.startFrom} />
              </div>
            )}
            {draft.nfs.length > 0 && form.message("nfs") && <p className="section-body bad">{form.message("nfs")}</p>}
            {form.left.length > 0 && (
              <p className="section-body warn" role="status">
                <Shape name="warn" />
                Not copied: {form.left.join("; ")}.
              </p>
            )}
          </Section>
          <NewChainSection foresight={foresight} empty={draft.nfs.length === 0} />
          {chosen && (
            <Section title={`NF ${selected + 1}`} note={chosen.type}>
              <NfEditor
                key={chosen.key}
                nf={chosen}
                index={selected}
                count={draft.nfs.length}
                type={types.find((type) => type.name === chosen.type)}
                errors={errors}
                onChange={(nf) => form.set({ nfs: draft.nfs.map((each, index) => (index === selected ? nf : each)) })}
                onMove={(by) => form.move(selected, by)}
                onRemove={() => form.remove(selected)}
              />
            </Section>
          )}
        </div>
        <div className="chain-intent">
          <IntentFields draft={draft} set={form.set} errors={errors} />
        </div>
        <SubmitBar form={form} />
      </form>
    </main>
  );
}

type ChainForm = ReturnType<typeof useChainForm>;

function SubmitBar({ form }: { form: ChainForm }): ReactNode {
  const reason = useActReason("chains.write");
  const { problem, draft } = form;
  const { spec, parts } = check(withoutSecrets(draft));
  const { traffic } = checkTraffic(draft, headersOf(draft));
  return (
    <>
      {problem && (problem.errors.length === 0 || form.homeless.length > 0) && (
        <div className="chain-problem">
          <ProblemNote problem={{ ...problem, errors: [...form.homeless] }} onDismiss={form.dismiss} />
        </div>
      )}
      <div className="apply-bar">
        <span>
          <b className="strong">{count(draft.nfs.length, "NF")}</b>
          {traffic && <>, {trafficWords(traffic)}</>}
          {spec && runWords(spec) !== "" && <>; {runWords(spec)}</>}
        </span>
        {form.tried && form.errors.length > 0 && (
          <span className="bad" role="status">
            {count(form.errors.length, "field")} to correct: {form.errors.map((error) => error.field).join(", ")}
          </span>
        )}
        <span className="end">
          {spec && (
            <CopyButton
              text={`${cli.submitChain("-")}${secretOptions(draft)} <<'EOF'\n${chainFile(spec, runsOf(draft))}\nEOF`}
              {...(secretOptions(draft) === ""
                ? { curl: parts.length > 0 ? curls.submitChains(parts) : curls.submitChain(spec) }
                : {})}
            />
          )}
          <Button
            type="submit"
            look="primary"
            reason={form.busy ? "The chain is on its way." : reason}
            reasonSide="above"
          >
            Submit and plan
          </Button>
        </span>
      </div>
    </>
  );
}

/** Fields that have a place of their own on the page; other messages stand above the bar. */
const PLACES =
  /^(name|nfs|nfs\.\d+\.(name|type|config|cpu_share|cpu_quota_percent|host)(\..*)?|execution|traffic\.\w+(\..*)?|slo\.\w+|value|ingress\.host|ingress\.match\.\w+)$/;

function useChainForm() {
  const [draft, setDraft] = useState<Draft>(loadDraft);
  const [selected, setSelected] = useState(0);
  const [tried, setTried] = useState(false);
  const [left, setLeft] = useState<readonly string[]>([]);
  const navigate = useNavigate();
  useEffect(() => saveDraft(draft), [draft]);
  const submission = useMutation({
    mutationFn: ({ spec, parts }: { spec: ChainSpec; parts: readonly ChainSpec[] }) =>
      parts.length > 0 ? submitChains(parts) : submitChain(spec),
    onSuccess: ({ plan_id }) => {
      forgetDraft();
      void navigate({ to: "/plans/$planId", params: { planId: String(plan_id) } });
    },
  });
  const problem = submission.error ? asProblem(submission.error) : null;
  const refused: readonly FieldError[] = atDraftFields(problem?.errors ?? [], runsOf(draft));
  const errors = [...(tried ? check(draft).errors : []), ...refused];

  const change = (next: Draft) => {
    setDraft(next);
    // What the server refused was another content.
    submission.reset();
  };
  return {
    draft,
    selected,
    errors,
    left,
    tried,
    problem,
    homeless: refused.filter((error) => !PLACES.test(error.field)),
    busy: submission.isPending,
    message: (field: string) => errors.find((error) => error.field === field)?.message,
    select: setSelected,
    set: (part: Partial<Draft>) => change({ ...draft, ...part }),
    add(type: NfType) {
      const after = Math.min(selected, draft.nfs.length - 1);
      change(withNf(draft, type, after));
      setSelected(after + 1);
    },
    move(index: number, by: 1 | -1) {
      const next = movedNf(draft, index, by);
      if (next === draft) return;
      change(next);
      setSelected(index + by);
    },
    remove(index: number) {
      change(withoutNf(draft, index));
      setSelected(Math.max(0, Math.min(index, draft.nfs.length - 2)));
    },
    fill(next: Draft) {
      change(next);
      setSelected(0);
      setTried(false);
      setLeft([]);
    },
    /** What is typed already stays: the name. */
    startFrom(next: Draft, notCopied: readonly string[]) {
      change({ ...next, name: draft.name });
      setSelected(0);
      setTried(false);
      setLeft(notCopied);
    },
    clear() {
      forgetDraft();
      change(loadDraft());
      setLeft([]);
      setSelected(0);
      setTried(false);
    },
    dismiss: () => submission.reset(),
    submit(event: FormEvent) {
      event.preventDefault();
      setTried(true);
      const { spec, parts } = check(draft);
      if (spec && !submission.isPending) submission.mutate({ spec, parts });
    },
  };
}
