/** Chains from an OpenNetVM group file: read by the console, shown with what was left behind, then put into the form or
 * submitted one after the other. */

import { useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { importChains, submitChain } from "@/api/actions";
import { asProblem, ProblemError, plainProblem } from "@/api/problem";
import type { ChainImport, ChainSpec, ImportedChain } from "@/api/types";
import { FileDrop } from "@/artefacts/file-drop";
import type { Draft } from "@/chains/draft";
import { draftOf } from "@/chains/draft-of";
import { count, sizeText } from "@/lib/format";
import { cli } from "@/session/cli";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Window, WindowActions } from "@/ui/dialog";
import { ProblemNote } from "@/ui/problem-note";
import { type Column, Table } from "@/ui/table";
import { MAX_BYTES, sorted } from "./group-files";

export function ImportGroup({ onDraft }: { onDraft: (draft: Draft) => void }): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Import group file</Button>
      <Window open={open} title="Chains of an OpenNetVM group file" onClose={() => setOpen(false)}>
        <Import
          onChain={(spec) => {
            onDraft(draftOf(spec));
            setOpen(false);
          }}
        />
      </Window>
    </>
  );
}

function Import({ onChain }: { onChain: (spec: ChainSpec) => void }): ReactNode {
  const reason = useActReason("chains.write");
  const read = useMutation({ mutationFn: readFiles });
  return (
    <>
      <p className="t2">
        The file that <code>run_group.py</code> reads, and the files that its NFs read. Nothing is stored until you
        submit.
      </p>
      <FileDrop
        label="Drop the group file here, together with the rules of its firewalls, or"
        button="Choose files"
        multiple
        reason={reason ?? (read.isPending ? "Reading the files." : null)}
        onFiles={(files) => read.mutate(files)}
      />
      {read.error && <ProblemNote problem={asProblem(read.error)} />}
      {read.data && <Found found={read.data.found} names={read.data.names} onChain={onChain} />}
    </>
  );
}

async function readFiles(files: readonly File[]): Promise<{ found: ChainImport; names: string[] }> {
  const large = files.find((file) => file.size > MAX_BYTES);
  if (large) {
    const cause = `${large.name} has ${sizeText(large.size)}; a file may have ${sizeText(MAX_BYTES)}.`;
    throw new ProblemError(plainProblem("file-too-large", "The file is too large", cause));
  }
  const chosen = sorted(await Promise.all(files.map(async (file) => ({ name: file.name, text: await file.text() }))));
  if (!chosen) throw new ProblemError(plainProblem("no-file", "No file was chosen", "Choose the group file."));
  const { group, others } = chosen;
  const found = await importChains(group.text, Object.fromEntries(others.map(({ name, text }) => [name, text])));
  return { found, names: [group.name, ...others.map(({ name }) => name)] };
}

function Found(props: { found: ChainImport; names: readonly string[]; onChain: (spec: ChainSpec) => void }): ReactNode {
  const { found, names, onChain } = props;
  const reason = useActReason("chains.write");
  const [plans, setPlans] = useState<ReadonlyMap<string, number>>(new Map());
  const all = useMutation({
    mutationFn: async () => {
      for (const { spec } of found.chains.filter((chain) => !plans.has(chain.spec.name))) {
        const { plan_id } = await submitChain(spec);
        setPlans((old) => new Map(old).set(spec.name, plan_id));
      }
    },
  });
  const done = plans.size === found.chains.length;
  return (
    <>
      <Table
        label="Chains of the group file"
        columns={columns(plans, onChain)}
        rows={found.chains}
        rowKey={(chain) => chain.spec.name}
      />
      {found.notes.length > 0 && (
        <ul className="t2" aria-label="Not imported">
          {found.notes.map(({ at, message }) => (
            <li key={`${at} ${message}`}>
              {at && <span className="mono">{at} </span>}
              {message}
            </li>
          ))}
        </ul>
      )}
      {all.error && <ProblemNote problem={asProblem(all.error)} onDismiss={() => all.reset()} />}
      <WindowActions>
        <CopyButton text={cli.importChains(names)} />
        <Button
          look="primary"
          onClick={() => all.mutate()}
          reason={reason ?? (all.isPending ? "Chains are being sent." : done ? "All chains are submitted." : null)}
          reasonSide="above"
        >
          Submit {count(found.chains.length - plans.size, "chain")} and plan
        </Button>
      </WindowActions>
    </>
  );
}

function columns(plans: ReadonlyMap<string, number>, onChain: (spec: ChainSpec) => void): Column<ImportedChain>[] {
  return [
    { key: "chain", head: "Chain", cell: (chain) => <Name chain={chain} submitted={plans.has(chain.spec.name)} /> },
    { key: "nfs", head: "NFs", cell: ({ spec }) => spec.nfs.map((nf) => nf.name).join(" → ") },
    { key: "services", head: "Services", cell: ({ services }) => services.join(" → ") },
    {
      key: "act",
      head: "",
      cell: ({ spec }) => {
        const plan = plans.get(spec.name);
        if (plan !== undefined) {
          return (
            <Link to="/plans/$planId" params={{ planId: String(plan) }}>
              plan {plan}
            </Link>
          );
        }
        return (
          <Button small onClick={() => onChain(spec)} aria-label={`Fill the form with ${spec.name}`}>
            Fill the form
          </Button>
        );
      },
    },
  ];
}

function Name({ chain, submitted }: { chain: ImportedChain; submitted: boolean }): ReactNode {
  return (
    <>
      {chain.spec.name}
      {chain.taken && !submitted && <span className="warn"> is taken: rename it in the form</span>}
    </>
  );
}
