/** What windows have in common that start a job finding something of an NF type: a button, the host, the size of packets,
 * what the job will take, and the way to its page. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { startProfiling } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { profilingDesignQuery } from "@/api/profiling-queries";
import type { FieldError, HostView, ProfilingAsk, ProfilingDesign } from "@/api/types";
import { useLive } from "@/live/store";
import { emptyAsk, hostChoices, messageOf, readAsk } from "@/profiling/ask-draft";
import { LeftOut } from "@/profiling/design-view";
import { curls } from "@/session/curl-calls";
import { useActReason } from "@/session/permission";
import { Button } from "@/ui/button";
import { Choose } from "@/ui/choose";
import { CopyButton } from "@/ui/copy-button";
import { Window, WindowActions } from "@/ui/dialog";
import { Field } from "@/ui/field";
import { ProblemNote } from "@/ui/problem-note";

interface ButtonProps {
  /** "levels": what is found. */
  readonly what: string;
  readonly nfType: string;
  /** Those that may be chosen. */
  readonly hosts: readonly string[];
  /** The form within the window. */
  readonly children: ReactNode;
}

export function MeasureButton({ what, nfType, hosts, children }: ButtonProps): ReactNode {
  const [open, setOpen] = useState(false);
  const blocked = useActReason("profiling.run");
  const reason = hosts.length === 0 ? "No host of this model is left." : null;
  return (
    <>
      <Button small reason={blocked ?? reason} onClick={() => setOpen(true)}>
        Measure {what}
        <span className="hidden-text"> of {nfType}</span>
      </Button>
      <Window open={open} title={`Measure ${what} of ${nfType}`} onClose={() => setOpen(false)}>
        {children}
      </Window>
    </>
  );
}

/** Of an ask, what is to be found; null where a field of it is not valid. `host`: the chosen one. */
export type Finds = (host: HostView | undefined) => Pick<ProfilingAsk, "levels" | "shares"> | null;

interface Asked {
  readonly nfType: string;
  readonly hosts: readonly string[];
  /** What a host must be able to do, as its inventory has it. */
  readonly capability: string;
  /** "give cache ways": the same in words. */
  readonly able: string;
  readonly finds: Finds;
}

/** The state of such a form. */
export function useMeasureJob({ nfType, hosts, capability, able, finds }: Asked) {
  const navigate = useNavigate();
  const blocked = useActReason("profiling.run");
  const all = useLive((state) => state.hosts);
  const choices = hostChoices(
    [...all.values()].filter(({ host_id }) => hosts.includes(host_id)),
    capability,
  );
  const [picked, setHost] = useState<string | null>(null);
  const [packetBytes, setPacketBytes] = useState<string | null>(null);
  const host = picked ?? (choices.find(({ disabled }) => !disabled) ?? choices[0])?.key ?? "";
  const chosen = choices.find(({ key }) => key === host);
  const draft = emptyAsk(nfType, host);
  const plain = readAsk(
    packetBytes === null ? draft : { ...draft, packetBytes },
    all.get(host)?.inventory?.most_flows ?? null,
  );
  const found = finds(all.get(host));
  const fits = chosen !== undefined && !chosen.disabled;
  const ask: ProfilingAsk | null = plain.ask && found && fits ? { ...plain.ask, ...found } : null;
  const design = useQuery({ ...profilingDesignQuery(ask ?? NOTHING), enabled: ask !== null });
  const start = useMutation({
    mutationFn: startProfiling,
    onSuccess: ({ id }) => void navigate({ to: "/profiling/$id", params: { id: String(id) } }),
  });
  const refused = start.error ?? (ask ? design.error : null);
  const problem = refused ? asProblem(refused) : null;
  const errors: readonly FieldError[] = [...plain.errors, ...(problem?.errors ?? [])];
  const why =
    blocked ??
    (chosen?.disabled ? `Choose a host that can ${able}.` : null) ??
    (start.isPending ? "It is being started." : null) ??
    (ask ? null : "A field above is not valid.") ??
    (design.error ? "The console refused it, see above." : null);
  const size = { value: packetBytes ?? draft.packetBytes, set: setPacketBytes };
  return { all, host, setHost, choices, chosen, size, ask, design: design.data, start, problem, errors, why };
}

interface FormProps {
  readonly job: ReturnType<typeof useMeasureJob>;
  readonly what: string;
  /** The job as a command. */
  readonly command: (ask: ProfilingAsk) => string;
  /** What it will take. */
  readonly takes: (design: ProfilingDesign) => ReactNode;
  /** Fields between host and size of packets. */
  readonly children: ReactNode;
  /** Fields below. */
  readonly more?: ReactNode;
}

export function MeasureForm({ job, what, command, takes, children, more }: FormProps): ReactNode {
  const form = useId();
  const { ask, chosen, design, problem, start, why } = job;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ask && !why) start.mutate(ask);
  };
  return (
    <form id={form} aria-label={`Measure ${what}`} onSubmit={submit} noValidate>
      <div className="fields">
        <Choose label="Host" value={job.host} choices={job.choices} onChange={job.setHost} />
        {chosen?.disabled && (
          <p className="message bad">
            It cannot measure {what}: {chosen.note}
          </p>
        )}
        {children}
        <Field
          label="Packet size"
          value={job.size.value}
          onChange={job.size.set}
          unit="bytes"
          inputMode="numeric"
          error={messageOf(job.errors, "packet_bytes")}
        />
        {more}
      </div>
      {problem && <ProblemNote problem={problem} {...(start.error ? { onDismiss: () => start.reset() } : {})} />}
      {!problem && ask && design && (
        <section className="design" aria-label="Design">
          <p role="status">{takes(design)}</p>
          <LeftOut reasons={design.left_out} />
        </section>
      )}
      <WindowActions>
        {ask && <CopyButton text={command(ask)} curl={curls.startProfile(ask)} />}
        <Button look="primary" type="submit" form={form} reason={why} reasonSide="above">
          Measure
        </Button>
      </WindowActions>
    </form>
  );
}

/** Asked only while it is not enabled. */
const NOTHING = { nf_type: "", host: "" } as ProfilingAsk;
