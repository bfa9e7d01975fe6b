/** Policies of hosts and chains: which there are, and a form to set one. */

import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { clearMode, type NarrowScope, POLICIES, policiesPages, setMode } from "@/api/automation-queries";
import { asProblem } from "@/api/problem";
import type { PolicySort } from "@/api/sorts";
import type { LawView, PolicyMode, ScopedPolicy } from "@/api/types";
import { ageOrTime } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { MODES } from "@/recommendations/policy-draft";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { ProblemNote } from "@/ui/problem-note";
import { Section } from "@/ui/section";
import { Segmented } from "@/ui/segmented";
import { Picker } from "@/ui/select";
import { type ServerSorted, type Sorting, sortedHeads } from "@/ui/sorted-heads";
import { Table } from "@/ui/table";

const SCOPES: readonly { key: NarrowScope; text: string }[] = [
  { key: "host", text: "Host" },
  { key: "chain", text: "Chain" },
];

const COLUMNS: readonly ServerSorted<ScopedPolicy, PolicySort>[] = [
  { key: "scope", head: "Scope", sorts: ["scope", "-scope"], cell: ({ scope }) => scope },
  { key: "name", head: "Name", rowHead: true, sorts: ["name", "-name"], cell: (policy) => <Name policy={policy} /> },
  { key: "law", head: "Law", sorts: ["law", "-law"], cell: ({ law }) => law },
  { key: "mode", head: "Policy", sorts: ["mode", "-mode"], cell: (policy) => <Mode policy={policy} /> },
  {
    key: "set",
    head: "Set",
    secondRank: true,
    sorts: ["-changed_at", "changed_at"],
    cell: (policy) => <SetBy policy={policy} />,
  },
  { key: "clear", head: "", cell: (policy) => <Clear policy={policy} /> },
];

/** `law`: only its own; null: every law's. */
export function ScopedPolicies(
  props: { laws: readonly LawView[]; law?: string | null } & Sorting<PolicySort>,
): ReactNode {
  const { laws, law = null } = props;
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery(policiesPages(props.sort));
  const rows = (data?.pages.flatMap((page) => page.items) ?? []).filter(
    (policy) => policy.scope !== "fleet" && (law === null || policy.law === law),
  );
  return (
    <Section
      title="Policies of hosts and chains"
      note="a chain’s applies before its host’s, a host’s before the fleet’s"
    >
      {error && <ProblemNote problem={asProblem(error)} />}
      {!data && !error && <p className="section-body t2 late">Loading policies</p>}
      {rows.length > 0 && (
        <Table
          label="Policies of hosts and chains"
          columns={sortedHeads(COLUMNS, props)}
          rows={rows}
          rowKey={({ id }) => id}
        />
      )}
      {data && rows.length === 0 && (
        <p className="section-body t2">The fleet’s policy applies to every host and chain.</p>
      )}
      {hasNextPage && (
        <p className="empty">
          <Button onClick={() => void fetchNextPage()}>More policies</Button>
        </p>
      )}
      {laws.length > 0 && <NewPolicy laws={laws} />}
    </Section>
  );
}

function Name({ policy: { scope, name } }: { policy: ScopedPolicy }): ReactNode {
  if (name === null) return "–";
  return scope === "host" ? (
    <Link to="/hosts/$id" params={{ id: name }}>
      {name}
    </Link>
  ) : (
    <Link to="/chains/$name" params={{ name }}>
      {name}
    </Link>
  );
}

function SetBy({ policy }: { policy: ScopedPolicy }): ReactNode {
  const now = useNow();
  return (
    <span className="t2">
      by {policy.changed_by} {ageOrTime(policy.changed_at, now)}
    </span>
  );
}

function useSetMode() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (one: { law: string; scope: NarrowScope; name: string; mode: PolicyMode }) =>
      setMode(one.law, one.scope, one.name, one.mode),
    onSettled: () => void client.invalidateQueries({ queryKey: POLICIES }),
  });
}

function Mode({ policy: { law, scope, name, mode } }: { policy: ScopedPolicy }): ReactNode {
  const save = useSetMode();
  const reason = useActReason("automation.policy");
  if (scope === "fleet" || name === null) return mode;
  const options = MODES.map((one) => ({ ...one, disabled: reason !== null || save.isPending }));
  return (
    <>
      <Segmented
        label={`Policy of ${scope} ${name}`}
        value={mode}
        options={options}
        onChange={(chosen) => save.mutate({ law, scope, name, mode: chosen })}
      />
      {save.error && <ProblemNote problem={asProblem(save.error)} onDismiss={() => save.reset()} />}
    </>
  );
}

function Clear({ policy: { law, scope, name } }: { policy: ScopedPolicy }): ReactNode {
  const client = useQueryClient();
  const reason = useActReason("automation.policy");
  const clear = useMutation({
    mutationFn: () => (scope === "fleet" || name === null ? Promise.resolve() : clearMode(law, scope, name)),
    onSettled: () => void client.invalidateQueries({ queryKey: POLICIES }),
  });
  return (
    <>
      <Button reason={reason ?? (clear.isPending ? "It is being cleared." : null)} onClick={() => clear.mutate()}>
        Clear
      </Button>
      {clear.error && <ProblemNote problem={asProblem(clear.error)} onDismiss={() => clear.reset()} />}
    </>
  );
}

function NewPolicy({ laws }: { laws: readonly LawView[] }): ReactNode {
  const hosts = useLive((state) => state.hosts);
  const chains = useLive((state) => state.chains);
  const [law, setLaw] = useState(laws[0]?.name ?? "");
  const [scope, setScope] = useState<NarrowScope>("host");
  const [name, setName] = useState<string | null>(null);
  const [mode, setModeOf] = useState<PolicyMode>("manual");
  const save = useSetMode();
  const role = useActReason("automation.policy");
  const names = [...(scope === "host" ? hosts : chains).keys()].sort();
  const missing = name === null ? `Choose a ${scope} first.` : null;
  const reason = role ?? (save.isPending ? "It is being set." : missing);
  return (
    <form
      className="section-body scoped-policy"
      aria-label="Set a policy"
      onSubmit={(event) => {
        event.preventDefault();
        if (name !== null && !reason) save.mutate({ law, scope, name, mode });
      }}
    >
      {laws.length > 1 && (
        <Picker
          label="Law"
          value={law}
          choices={laws.map((one) => ({ key: one.name, text: one.title }))}
          onChange={setLaw}
        />
      )}
      <Segmented
        label="Scope"
        value={scope}
        options={SCOPES}
        onChange={(chosen) => {
          setScope(chosen);
          setName(null);
        }}
      />
      <Picker
        label={scope === "host" ? "Host" : "Chain"}
        value={name}
        choices={names.map((key) => ({ key, text: key }))}
        onChange={setName}
      />
      <Segmented label="Policy" value={mode} options={MODES} onChange={setModeOf} />
      {name !== null && (
        <CopyButton
          text={cli.setScopedPolicy(law, scope, name, mode)}
          curl={curls.setScopedPolicy(law, scope, name, mode)}
        />
      )}
      <Button type="submit" reason={reason}>
        Set policy
      </Button>
      {save.error && <ProblemNote problem={asProblem(save.error)} onDismiss={() => save.reset()} />}
    </form>
  );
}
