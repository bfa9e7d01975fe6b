/** Lets something go wrong on a simulated host, to see what Sextant and its operators do about it. */

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { injectFault } from "@/api/actions";
import { asProblem, fieldMessages } from "@/api/problem";
import { faultsKey } from "@/api/queries";
import type { Problem } from "@/api/types";
import { offersFaults } from "@/capabilities/cannot";
import { nfText } from "@/interference/causes";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { CopyButton } from "@/ui/copy-button";
import { Window, WindowActions } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { Segmented } from "@/ui/segmented";
import { Picker } from "@/ui/select";
import { emptyDraft, FAULT_KINDS, type FaultDraft, faultOf, faultText } from "./faults";
import type { HostData } from "./use-host";

export function OrderFault({ data }: { data: HostData }): ReactNode {
  const [open, setOpen] = useState(false);
  const act = useActReason("faults.inject");
  if (!offersFaults(data.host)) return null;
  const reason = act ?? (data.host.status === "up" ? null : `${data.host.host_id} is ${data.host.status}.`);
  return (
    <>
      <Button reason={reason} reasonSide="below-left" onClick={() => setOpen(true)}>
        Fault
      </Button>
      <Window open={open} title={`Inject a fault on ${data.host.host_id}`} onClose={() => setOpen(false)}>
        <FaultForm data={data} reason={reason} />
      </Window>
    </>
  );
}

export function FaultForm({ data, reason }: { data: HostData; reason: string | null }): ReactNode {
  const form = useId();
  const { host, nfs } = data;
  const [draft, setDraft] = useState(() => emptyDraft(host, nfs));
  const client = useQueryClient();
  const ordering = useMutation({
    mutationFn: () => {
      const fault = faultOf(draft, host, nfs);
      if (fault instanceof Map) throw new Error("the order of the fault is incomplete");
      return injectFault(host.host_id, fault);
    },
    onSuccess: (active) => client.setQueryData(faultsKey(host.host_id), active),
  });
  const set = (change: Partial<FaultDraft>) => {
    ordering.reset();
    setDraft({ ...draft, ...change });
  };
  const fault = faultOf(draft, host, nfs);
  const wrong = fault instanceof Map ? fault : null;
  const problem = ordering.error ? asProblem(ordering.error) : null;
  const why = reason ?? (wrong ? `${[...wrong.values()][0]}.` : ordering.isPending ? "The order is being sent." : null);
  return (
    <form
      id={form}
      aria-label="Inject a fault"
      onSubmit={(event) => {
        event.preventDefault();
        if (!why) ordering.mutate();
      }}
    >
      <Segmented label="Kind of fault" value={draft.kind} options={FAULT_KINDS} onChange={(kind) => set({ kind })} />
      <p className="t2">{FAULT_KINDS.find(({ key }) => key === draft.kind)?.effect}</p>
      <Parameters draft={draft} set={set} data={data} wrong={wrong} problem={problem} />
      {problem && <ProblemNote problem={problem} onDismiss={() => ordering.reset()} />}
      {ordering.isSuccess && !(fault instanceof Map) && <p role="status">Ordered: {faultText(fault)}.</p>}
      <WindowActions>
        {!(fault instanceof Map) && (
          <CopyButton text={cli.fault(host.host_id, fault)} curl={curls.fault(host.host_id, fault)} />
        )}
        <Button look="primary" type="submit" form={form} reasonSide="above" reason={why}>
          Inject the fault
        </Button>
      </WindowActions>
    </form>
  );
}

function Parameters(props: {
  draft: FaultDraft;
  set: (change: Partial<FaultDraft>) => void;
  data: HostData;
  wrong: ReadonlyMap<string, string> | null;
  problem: Problem | null;
}): ReactNode {
  const { draft, set, data, wrong } = props;
  const { kind } = draft;
  const refused = fieldMessages(props.problem?.errors ?? []);
  const error = (field: string) => wrong?.get(field) ?? refused(`fault.${field}`) ?? refused(field);
  const ports = data.host.inventory?.ports ?? [];
  return (
    <>
      {kind === "nf-crash" && (
        <Picker
          label="NF"
          value={draft.nf}
          choices={data.nfs.map(({ nf_id, seat }) => ({ key: nf_id, text: nfText(nf_id), note: `core ${seat.core}` }))}
          onChange={(nf) => set({ nf })}
          placeholder="no NF runs here"
        />
      )}
      {kind === "nic-flap" && (
        <Picker
          label="Port"
          value={draft.port}
          choices={ports.map(({ name, node }) => ({ key: name, text: name, note: `node ${node}` }))}
          onChange={(port) => set({ port })}
        />
      )}
      {kind === "noisy-neighbour" && (
        <>
          <Segmented
            label="Loads"
            value={draft.resource}
            options={[
              { key: "cache", text: "Cache" },
              { key: "memory", text: "Memory" },
            ]}
            onChange={(resource) => set({ resource })}
          />
          <Field
            label="Cores"
            value={draft.cores}
            onChange={(cores) => set({ cores })}
            error={error("cores")}
            hint="without NFs, separated by commas; each causes as much load as one core can"
          />
        </>
      )}
      {kind !== "nf-crash" && (
        <Field
          label="For"
          unit="s"
          inputMode="decimal"
          value={draft.seconds}
          onChange={(seconds) => set({ seconds })}
          error={error("seconds")}
        />
      )}
    </>
  );
}
