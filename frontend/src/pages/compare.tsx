/** Asks for a comparison: several algorithms on one snapshot, of the fleet now or from a file. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { Checkbox, CheckboxGroup, Label } from "react-aria-components";
import { compareAlgorithms } from "@/api/actions";
import { asProblem, fieldMessages } from "@/api/problem";
import { COMPARISONS } from "@/api/queries";
import type { Algorithm } from "@/api/types";
import { ComparisonsSection } from "@/comparisons/comparisons-section";
import { type CompareDraft, compareOptions, EMPTY_COMPARISON, readComparison } from "@/comparisons/draft";
import { RacesSection } from "@/comparisons/races-section";
import { SnapshotDrop } from "@/comparisons/snapshot-drop";
import { count } from "@/lib/format";
import { useLive } from "@/live/store";
import { ALGORITHMS, BY_PREDICTION, isAlgorithm } from "@/plans/algorithms";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { Choose } from "@/ui/choose";
import { CopyButton } from "@/ui/copy-button";
import { Field } from "@/ui/field";
import { PageTitle } from "@/ui/page-title";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { Side } from "@/ui/side";
import { type CompareSearch, compareSearch, type Resorted } from "./searches";

const route = getRouteApi("/shell/plans/compare");

export function ComparePage(): ReactNode {
  const { comparisons, source, find, races, model, ranking } = route.useSearch();
  const navigate = useNavigate({ from: "/plans/compare" });
  const set = (change: Resorted<CompareSearch>) =>
    void navigate({ search: (old) => compareSearch({ ...old, ...change }), replace: true });
  return (
    <main className="page fixed" id="page" tabIndex={-1}>
      <PageTitle path={<Link to="/plans">Plans</Link>} name="Compare algorithms" />
      <div className="columns compare-columns">
        <div className="main">
          <Form />
        </div>
        <Side label="Comparisons and races">
          <ComparisonsSection
            filter={{ source, search: find, sort: comparisons }}
            onFilter={(change) => {
              const { search, sort, ...other } = change;
              set({
                ...other,
                ...("search" in change ? { find: search } : {}),
                ...("sort" in change ? { comparisons: sort } : {}),
              });
            }}
          />
          <RacesSection
            sort={races}
            onSort={(sort) => set({ races: sort })}
            hostModel={model ?? null}
            onHostModel={(next) => set({ model: next ?? undefined })}
            ranking={ranking}
            onRanking={(sort) => set({ ranking: sort })}
          />
        </Side>
      </div>
    </main>
  );
}

function Form(): ReactNode {
  const [draft, setDraft] = useState<CompareDraft>(EMPTY_COMPARISON);
  const [showErrors, setShowErrors] = useState(false);
  const set = (part: Partial<CompareDraft>) => setDraft({ ...draft, ...part });
  const chains = useChains(draft);
  const navigate = useNavigate();
  const client = useQueryClient();
  const blocked = useActReason("algorithms.compare");
  const start = useMutation({
    mutationFn: compareAlgorithms,
    onSuccess: ({ id }) => {
      void client.invalidateQueries({ queryKey: COMPARISONS });
      void navigate({ to: "/comparisons/$id", params: { id: String(id) } });
    },
  });
  const { request, errors } = readComparison(draft, chains);
  const problem = start.error ? asProblem(start.error) : null;
  const server = fieldMessages(problem?.errors ?? []);
  const own: Record<string, string | undefined> = showErrors ? errors : {};
  const message = (field: string) => own[field] ?? server(field);
  const ofFile = (problem?.errors ?? []).filter(({ field }) => field.startsWith("snapshot"));
  const reason = start.isPending ? "The comparison is being sent." : blocked;
  return (
    <form
      className="compare-form"
      aria-label="Compare algorithms"
      onSubmit={(event) => {
        event.preventDefault();
        setShowErrors(true);
        if (request && !reason) start.mutate(request);
      }}
    >
      <Section title="Snapshot" note="the same for every algorithm" padded>
        <Segmented
          label="Snapshot of"
          value={draft.source}
          options={[
            { key: "fleet", text: "The fleet now" },
            { key: "file", text: "A file" },
          ]}
          onChange={(source) => set({ source, chain: "" })}
        />
        {draft.source === "file" ? (
          <SnapshotDrop file={draft.file} onFile={(file) => set({ file, chain: "" })} errors={ofFile} />
        ) : (
          <Fleet />
        )}
        {draft.source === "file" && message("snapshot") && <p className="bad">{message("snapshot")}</p>}
      </Section>
      <Section title="Intent" padded>
        <Segmented
          label="What to plan"
          value={draft.intent}
          options={[
            { key: "replace", text: "Re-place the fleet" },
            { key: "place", text: "Place a chain" },
          ]}
          onChange={(intent) => set({ intent })}
        />
        {draft.intent === "place" && (
          <div className="fields">
            <Choose
              label="Chain"
              value={draft.chain}
              choices={chains.map((key) => ({ key, text: key }))}
              onChange={(chain) => set({ chain })}
            />
            {message("intent.chain") && <p className="bad">{message("intent.chain")}</p>}
          </div>
        )}
      </Section>
      <Section title="Algorithms" note={`${draft.algorithms.size} of ${ALGORITHMS.length}`} padded>
        <Algorithms draft={draft} set={set} error={message("algorithms")} />
        <p className="t3">{BY_PREDICTION}</p>
        <div className="fields">
          <Field
            label="Time limit"
            value={draft.timeLimit}
            onChange={(timeLimit) => set({ timeLimit })}
            unit="s, each"
            inputMode="decimal"
            error={message("time_limit_s")}
          />
        </div>
      </Section>
      {problem && <ProblemNote problem={problem} onDismiss={() => start.reset()} />}
      <div className="section-body row-actions">
        <Button look="primary" type="submit" reason={reason} reasonSide="below-left">
          Compare {count(draft.algorithms.size, "algorithm")}
        </Button>
        {request && (
          <CopyButton
            text={cli.compare(compareOptions(request))}
            {...(request.snapshot === null ? { curl: curls.compare(request) } : {})}
          />
        )}
      </div>
    </form>
  );
}

/** What of the snapshot can be placed. */
function useChains(draft: CompareDraft): readonly string[] {
  const live = useLive((state) => state.chains);
  if (draft.source === "file") return draft.file?.unplaced ?? [];
  return [...live.values()]
    .filter(({ state }) => state === "submitted")
    .map(({ spec }) => spec.name)
    .sort();
}

function Fleet(): ReactNode {
  const hosts = useLive((state) => state.hosts.size);
  const chains = useLive((state) => state.chains.size);
  const blocked = useActReason("fleet.export");
  return (
    <p className="t2">
      {count(hosts, "host")}, {count(chains, "chain")}. A plan of it can be applied like any other.{" "}
      {blocked ? (
        <Button small reason={blocked} reasonSide="below-left">
          Save a snapshot as a file
        </Button>
      ) : (
        <a className="btn small" href="/api/v1/fleet/snapshot" download="fleet.json">
          Save a snapshot as a file
        </a>
      )}
    </p>
  );
}

function Algorithms(props: {
  draft: CompareDraft;
  set: (part: Partial<CompareDraft>) => void;
  error: string | undefined;
}): ReactNode {
  return (
    <CheckboxGroup
      className="algorithms"
      value={[...props.draft.algorithms]}
      onChange={(keys) => props.set({ algorithms: new Set<Algorithm>(keys.filter(isAlgorithm)) })}
      isInvalid={props.error !== undefined}
    >
      <Label className="hidden-text">Algorithms</Label>
      {ALGORITHMS.map(({ key, note }) => (
        <Checkbox key={key} value={key} className="check">
          <span className="box" aria-hidden="true" />
          <span>
            {key} <span className="t3">{note}</span>
          </span>
        </Checkbox>
      ))}
      {props.error && (
        <p className="bad" role="alert">
          {props.error}
        </p>
      )}
    </CheckboxGroup>
  );
}
