/** Starts a job that finds shares: a button, and the window with host, rates, hops, and what it will take. */

import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Checkbox } from "react-aria-components";
import { startProfiling } from "@/api/actions";
import { asProblem } from "@/api/problem";
import { profilingDesignQuery } from "@/api/profiling-queries";
import type { ProfilingAsk, ProfilingDesign } from "@/api/types";
import { count, duration } from "@/lib/format";
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
import { MOST_PERCENT, readShares, USUAL_SHARES } from "./shares";

const CAPABILITY = "profiling-shares";

/** `hosts`: those that may be chosen. */
export function MeasureShares({ nfType, hosts }: { nfType: string; hosts: readonly string[] }): ReactNode {
  const [open, setOpen] = useState(false);
  const blocked = useActReason("profiling.run");
  const reason = hosts.length === 0 ? "No host of this model is left." : null;
  return (
    <>
      <Button small reason={blocked ?? reason} onClick={() => setOpen(true)}>
        Measure shares
        <span className="hidden-text"> of {nfType}</span>
      </Button>
      <Window open={open} title={`Measure shares of ${nfType}`} onClose={() => setOpen(false)}>
        <MeasureSharesForm nfType={nfType} hosts={hosts} />
      </Window>
    </>
  );
}

export function MeasureSharesForm({ nfType, hosts }: { nfType: string; hosts: readonly string[] }): ReactNode {
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
  const [typed, setTyped] = useState(USUAL_SHARES);
  const [packetBytes, setPacketBytes] = useState<string | null>(null);
  const chosen = choices.find(({ key }) => key === host);
  const draft = emptyAsk(nfType, host);
  const mostFlows = all.get(host)?.inventory?.most_flows ?? null;
  const plain = readAsk(packetBytes === null ? draft : { ...draft, packetBytes }, mostFlows);
  const asked = readShares(typed);
  const fits = chosen !== undefined && !chosen.disabled;
  const ask: ProfilingAsk | null = plain.ask && asked.shares && fits ? { ...plain.ask, shares: asked.shares } : null;
  const design = useQuery({ ...profilingDesignQuery(ask ?? NOTHING), enabled: ask !== null });
  const start = useMutation({
    mutationFn: startProfiling,
    onSuccess: ({ id }) => void navigate({ to: "/profiling/$id", params: { id: String(id) } }),
  });
  const refused = start.error ?? (ask ? design.error : null);
  const problem = refused ? asProblem(refused) : null;
  const errors = [...plain.errors, ...asked.errors, ...(problem?.errors ?? [])];
  const why =
    blocked ??
    (chosen?.disabled ? "Choose a host that can measure shares." : null) ??
    (start.isPending ? "It is being started." : null) ??
    (ask ? null : "A field above is not valid.") ??
    (design.error ? "The console refused it, see above." : null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ask && !why) start.mutate(ask);
  };
  return (
    <form id={form} aria-label="Measure shares" onSubmit={submit} noValidate>
      <div className="fields">
        <Choose label="Host" value={host} choices={choices} onChange={setHost} />
        {chosen?.disabled && <p className="message bad">It cannot measure shares: {chosen.note}</p>}
        <Field
          label="Rates"
          value={typed.points}
          onChange={(points) => setTyped({ ...typed, points })}
          inputMode="numeric"
          hint="so many, evenly up to the fastest"
          error={messageOf(errors, "shares.points")}
        />
        <Field
          label="Fastest"
          value={typed.mostPercent}
          onChange={(mostPercent) => setTyped({ ...typed, mostPercent })}
          unit="%"
          inputMode="decimal"
          hint={`of what it carries of a full line; ${MOST_PERCENT} at most`}
          error={messageOf(errors, "shares.most_percent")}
        />
        <Field
          label="Packet size"
          value={packetBytes ?? draft.packetBytes}
          onChange={setPacketBytes}
          unit="bytes"
          inputMode="numeric"
          error={messageOf(errors, "packet_bytes")}
        />
        <Checkbox className="check" isSelected={typed.hops} onChange={(hops) => setTyped({ ...typed, hops })}>
          <span className="box" aria-hidden="true" />
          <span>Hops as well: what handing a packet on to another process costs, by distance</span>
        </Checkbox>
      </div>
      {problem && <ProblemNote problem={problem} {...(start.error ? { onDismiss: () => start.reset() } : {})} />}
      {!problem && ask && design.data && <Design design={design.data} />}
      <WindowActions>
        {ask && <CopyButton text={cli.measureShares(ask)} curl={curls.startProfile(ask)} />}
        <Button look="primary" type="submit" form={form} reason={why} reasonSide="above">
          Measure
        </Button>
      </WindowActions>
    </form>
  );
}

/** Asked only while it is not enabled. */
const NOTHING = { nf_type: "", host: "" } as ProfilingAsk;

function Design({ design }: { design: ProfilingDesign }): ReactNode {
  return (
    <section className="design" aria-label="Design">
      <p role="status">
        <b className="strong">{count(design.grid_points ?? 0, "point")}</b>, about {duration(design.expected_s)}. The
        first is a full line; the rates of the others follow from what the NF carries of it.
      </p>
      <LeftOut reasons={design.left_out} />
    </section>
  );
}
