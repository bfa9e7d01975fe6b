/** Starts a job that finds levels: a button, and the window with host, rates, and what it will take. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { startProfiling } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { profilingDesignQuery } from "@/api/profiling-queries";
import type { ProfilingAsk, ProfilingDesign } from "@/api/types";
import { duration } from "@/lib/format";
import { useLive } from "@/live/store";
import { emptyAsk, hostChoices, messageOf, readAsk } from "@/profiling/ask-draft";
import { LeftOut } from "@/profiling/design-view";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { Choose } from "@/ui/choose";
import { CopyButton } from "@/ui/copy-button";
import { Window, WindowActions } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";
import { nodeKindsOf, readRates, USUAL_RATES } from "./levels";

const CAPABILITY = "profiling-resources";

export function MeasureLevels({ nfType, hosts }: { nfType: string; hosts: readonly string[] }): ReactNode {
  const [open, setOpen] = useState(false);
  const blocked = useActReason("profiling.run");
  const reason = hosts.length === 0 ? "No host of this model is left." : null;
  return (
    <>
      <Button small reason={blocked ?? reason} onClick={() => setOpen(true)}>
        Measure levels
      </Button>
      <Window open={open} title={`Measure levels of ${nfType}`} onClose={() => setOpen(false)}>
        <MeasureLevelsForm nfType={nfType} hosts={hosts} />
      </Window>
    </>
  );
}

export function MeasureLevelsForm({ nfType, hosts }: { nfType: string; hosts: readonly string[] }): ReactNode {
  const form = useId();
  const navigate = useNavigate();
  const blocked = useActReason("profiling.run");
  const all = useLive((state) => state.hosts);
  const choices = hostChoices(
    [...all.values()].filter(({ host_id }) => hosts.includes(host_id)),
    CAPABILITY,
  );
  const [picked, setHost] = useState<string | null>(null);
  const host = picked ?? (choices.find(({ disabled }) => !disabled) ?? choices[0])?.key ?? "";
  const [rates, setRates] = useState(USUAL_RATES);
  const [packetBytes, setPacketBytes] = useState<string | null>(null);
  const chosen = choices.find(({ key }) => key === host);
  const draft = emptyAsk(nfType, host);
  const mostFlows = all.get(host)?.inventory?.most_flows ?? null;
  const plain = readAsk(packetBytes === null ? draft : { ...draft, packetBytes }, mostFlows);
  const asked = readRates(rates);
  const kinds = nodeKindsOf(all.get(host));
  const fits = plain.ask !== null && asked.error === null && chosen !== undefined && !chosen.disabled;
  const ask: ProfilingAsk | null =
    plain.ask && fits ? { ...plain.ask, levels: { rates_gbps: [...asked.rates], nodes: [...kinds.nodes] } } : null;
  const design = useQuery({ ...profilingDesignQuery(ask ?? NOTHING), enabled: ask !== null });
  const start = useMutation({
    mutationFn: startProfiling,
    onSuccess: ({ id }) => void navigate({ to: "/profiling/$id", params: { id: String(id) } }),
  });
  const refused = start.error ?? (ask ? design.error : null);
  const problem = refused ? asProblem(refused) : null;
  const errors = [...plain.errors, ...(problem?.errors ?? [])];
  const why =
    blocked ??
    (chosen?.disabled ? "Choose a host that can give cache ways and memory bandwidth." : null) ??
    (start.isPending ? "It is being started." : null) ??
    (ask ? null : "A field above is not valid.") ??
    (design.error ? "The console refused it, see above." : null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ask && !why) start.mutate(ask);
  };
  return (
    <form id={form} aria-label="Measure levels" onSubmit={submit} noValidate>
      <div className="fields">
        <Choose label="Host" value={host} choices={choices} onChange={setHost} />
        {chosen?.disabled && <p className="message bad">It cannot measure levels: {chosen.note}</p>}
        {chosen && !chosen.disabled && <p className="t2">{kindsText(kinds.why)}</p>}
        <Field
          label="Rates"
          value={rates}
          onChange={setRates}
          unit="Gbps"
          hint="on the wire, with blanks between them"
          error={asked.error ?? messageOf(errors, "levels")}
        />
        <Field
          label="Packet size"
          value={packetBytes ?? draft.packetBytes}
          onChange={setPacketBytes}
          unit="bytes"
          inputMode="numeric"
          error={messageOf(errors, "packet_bytes")}
        />
      </div>
      {problem && <ProblemNote problem={problem} {...(start.error ? { onDismiss: () => start.reset() } : {})} />}
      {!problem && ask && design.data && <Design design={design.data} />}
      <WindowActions>
        {ask && <CopyButton text={cli.measureLevels(ask)} curl={curls.startProfile(ask)} />}
        <Button look="primary" type="submit" form={form} reason={why} reasonSide="above">
          Measure
        </Button>
      </WindowActions>
    </form>
  );
}

function kindsText(why: string | null): ReactNode {
  if (why === null) return "On the node that packets arrive on (local), and on another (remote).";
  return (
    <>
      On the node that packets arrive on (<b className="strong">local</b>) only: {why}.
    </>
  );
}

/** Asked only while it is not enabled. */
const NOTHING = { nf_type: "", host: "" } as ProfilingAsk;

function Design({ design }: { design: ProfilingDesign }): ReactNode {
  return (
    <section className="design" aria-label="Design">
      <p role="status">
        <b className="strong">A grid of {design.grid_points} points</b>, of which less than half are measured: about{" "}
        {duration(design.expected_s)}. Each point follows from those before it.
      </p>
      <LeftOut reasons={design.left_out} />
    </section>
  );
}
