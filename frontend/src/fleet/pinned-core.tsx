/** The pinned core: who stands on it, since when and by which plan, what was measured, and a way to move them. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { HostView, NfSample, NfView, Provenance } from "@/api/types";
import { reservedText } from "@/capabilities/cores";
import { missPercent, occupancyOf } from "@/interference/counters";
import { ageOrTime, count, figure, percent } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { Mark, Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { Injected } from "./beside";
import { ChainForecast } from "./chain-forecast";
import { cpuFigure } from "./cpu";
import { lossPercent } from "./layers";
import { Migrate } from "./migrate-form";
import type { HostModel, Unit } from "./model";
import { otherWork } from "./other-work";
import { Resources } from "./resources-form";
import { statusText } from "./status";
import { utilisedText } from "./utilisation";

/** Which NF is about to move, kept by the page. */
export interface Moving {
  readonly nfId: string | null;
  readonly set: (nfId: string | null) => void;
}

export function PinnedCore(props: {
  unit: Unit;
  model: HostModel;
  /** The page says which host it is about. */
  onHostPage?: boolean;
  /** Pins another slot of the same core. */
  onPin: (slot: number) => void;
  onUnpin: () => void;
  /** The NF whose targets the page's picture shows; pages without one leave it out. */
  moving?: Moving | undefined;
}): ReactNode {
  const { unit, model } = props;
  const now = useNow();
  const own = model.units.filter((other) => other.core.id === unit.core.id);
  const occupants = own.filter((other) => other.nf !== null).sort((a, b) => a.slot - b.slot);
  const pinned = occupants.find((other) => other.slot === unit.slot);
  const silent = statusText(model.host, now);
  return (
    <Section
      title={`Core ${unit.core.id}`}
      note={
        props.onHostPage ? (
          `node ${unit.node}`
        ) : (
          <>
            <Link to="/hosts/$id" params={{ id: unit.host }} search={{ pin: `${unit.core.id}/${unit.slot}` }}>
              {unit.host}
            </Link>
            , node {unit.node}
          </>
        )
      }
      end={
        <button type="button" className="btn quiet small" onClick={props.onUnpin}>
          Unpin <kbd>Esc</kbd>
        </button>
      }
      padded
    >
      {silent && (
        <p className="warn">
          <Shape name={model.host.status === "stale" ? "stale" : "cross"} />
          {silent}. {model.host.status_reason}
        </p>
      )}
      <CoreFacts unit={unit} model={model} used={occupants.length} />
      {occupants.length > (pinned ? 1 : 0) && (
        <Occupants occupants={occupants} slot={unit.slot} provenance={model.host.provenance} onPin={props.onPin} />
      )}
      {pinned && <Occupant key={pinned.nf?.nf_id} unit={pinned} model={model} now={now} moving={props.moving} />}
    </Section>
  );
}

function CoreFacts({ unit, model, used }: { unit: Unit; model: HostModel; used: number }): ReactNode {
  const { core } = unit;
  const slots = core.slots ?? 1;
  const other = otherWork(model.host).get(core.id);
  const reserved = model.host.reserved_cores.find((each) => each.core === core.id);
  const busy = model.host.cores.find((sample) => sample.core === core.id)?.busy_percent;
  return (
    <dl className="facts">
      <dt>Offers</dt>
      <dd>
        {core.reserved_for ? `nothing: ${reservedText(core.reserved_for)}` : `${count(slots, "slot")}, ${used} in use`}
        {core.last_choice && ", used last"}
        {reserved && ` (${reserved.by}: ${reserved.reason})`}
      </dd>
      <dt>Busy</dt>
      <dd>
        <Mark origin={model.host.provenance} />
        {percent(model.host.status === "unreachable" ? null : busy)} %
      </dd>
      {other && (
        <>
          <dt>Other work</dt>
          <dd>
            <Mark origin={model.host.provenance} />
            {percent(other.percent)} %, of no NF
            <Injected host={model.host} work={other} />
          </dd>
        </>
      )}
      {(core.siblings?.length ?? 0) > 0 && (
        <>
          <dt>Siblings</dt>
          <dd>{core.siblings?.join(", ")}</dd>
        </>
      )}
    </dl>
  );
}

/** Who shares the core, a row each; the pinned slot's own figures follow below. */
function Occupants(props: {
  occupants: readonly Unit[];
  slot: number;
  provenance: Provenance;
  onPin: (slot: number) => void;
}): ReactNode {
  return (
    <table className="occupants" aria-label="NFs on this core">
      <thead>
        <tr>
          <th scope="col">NF of chain</th>
          <th scope="col" className="num">
            <Mark origin={props.provenance} />
            Mpps
          </th>
          <th scope="col" className="num">
            utilised, %
          </th>
          <th scope="col" className="num">
            drops, %
          </th>
        </tr>
      </thead>
      <tbody>
        {props.occupants.map(({ slot, nf }) => (
          <tr key={slot} className={slot === props.slot ? "selected" : undefined}>
            <td>
              <button type="button" className="link" onClick={() => props.onPin(slot)}>
                {nf?.nf_id.split(".")[1]}
              </button>{" "}
              <span className="t2">{nf?.chain}</span>
            </td>
            <td className="num">{figure(nf?.sample?.tx_mpps)}</td>
            <td className="num">{utilisedText(nf?.sample)}</td>
            <td className="num">{nf?.sample ? percent(lossPercent(nf.sample)) : percent(null)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Occupant(props: { unit: Unit; model: HostModel; now: number; moving: Moving | undefined }): ReactNode {
  const { unit, model, now, moving } = props;
  const nf = unit.nf;
  const length = useLive((state) => (nf ? state.chains.get(nf.chain)?.spec.nfs.length : undefined));
  if (!nf) return null;
  return (
    <div className="occupant">
      <p>
        <b className="strong">{nf.nf_id.split(".")[1]}</b>{" "}
        <span className="t2">
          {nf.position + 1}
          {length ? ` of ${length}` : ""} in
        </span>{" "}
        <Link to="/chains/$name" params={{ name: nf.chain }}>
          {nf.chain}
        </Link>
        {unit.limits && <span className="t2">, limits the chain</span>}
      </p>
      {nf.actual_core !== null && nf.actual_core !== nf.seat.core && (
        <p className="warn">
          <Shape name="warn" />
          ordered to core {nf.seat.core}, found on core {nf.actual_core}
        </p>
      )}
      {nf.state && nf.state !== "running" && (
        <p className={nf.state === "crashed" ? "bad" : "t2"}>
          {nf.state === "crashed" && <Shape name="bad" />}
          {nf.state}
        </p>
      )}
      {nf.paused && (
        <p className="t2">
          <Shape name="idle" />
          paused with its chain
        </p>
      )}
      <Measures nf={nf} host={model.host} />
      <ChainForecast nf={nf} host={model.host} />
      <p className="t2">
        Here since {ageOrTime(nf.since, now)} by{" "}
        <Link to="/plans/$planId" params={{ planId: String(nf.plan_id) }}>
          plan {nf.plan_id}
        </Link>
        {nf.restarts > 0 && `, restarted ${count(nf.restarts, "time")}`}.
      </p>
      <div className="row-actions">
        <Migrate
          key={nf.nf_id}
          nf={nf}
          moving={moving && moving.nfId === nf.nf_id}
          onMoving={moving && ((on) => moving.set(on ? nf.nf_id : null))}
        />
        <Resources
          key={`resources of ${nf.nf_id}`}
          nf={nf}
          host={model.host}
          nfs={model.units.flatMap((other) => other.nf ?? [])}
        />
      </div>
    </div>
  );
}

/** Of hosts with hardware counters. */
function countedRows(sample: NfSample): [string, string][] {
  const held = occupancyOf(sample);
  const { llc_references_per_s: asked, memory_local_bytes_per_s: near, memory_remote_bytes_per_s: far } = sample;
  return [
    ...row("LLC references, M/s", asked, (value) => figure(value / 1e6)),
    ...row("LLC misses, %", missPercent(sample), percent),
    ...row("LLC held, MB", held, (value) => figure(value / 2 ** 20)),
    ...row("local memory, GB/s", near, (value) => figure(value / 1e9)),
    ...row("remote memory, GB/s", far, (value) => figure(value / 1e9)),
  ];
}

function row(name: string, value: number | null | undefined, text: (value: number) => string): [string, string][] {
  return value == null ? [] : [[name, text(value)]];
}

/** Of a stale host the last known figures, dimmed; of an unreachable one none. */
function Measures({ nf, host }: { nf: NfView; host: HostView }): ReactNode {
  const sample = host.status === "unreachable" ? null : nf.sample;
  const { provenance } = host;
  const rows: [string, string][] = [
    ["Mpps out", figure(sample?.tx_mpps)],
    ["Mpps in", figure(sample?.rx_mpps)],
    ["utilisation, %", utilisedText(sample)],
    ["headroom, Mpps", figure(sample?.headroom_mpps)],
    ["CPU, %", cpuFigure(sample)],
    ["drops, %", sample ? percent(lossPercent(sample)) : percent(null)],
    ["filtered, Mpps", figure(sample?.filtered_mpps)],
    ["cycles a packet", figure(sample?.cycles_per_packet)],
    ["ring used, %", percent(sample?.ring_used_percent)],
    ...(sample ? countedRows(sample) : []),
  ];
  return (
    <table className="measures" aria-label={`Figures of ${nf.nf_id}`}>
      <thead>
        <tr>
          <th>
            <span className="hidden-text">Figure</span>
          </th>
          <th scope="col" className="num">
            <Mark origin={provenance} />
            {provenance}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <td>{name}</td>
            <td className={host.status === "up" ? "num" : "num t3"}>{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
