/** Beside the picture: what the host is, what it can do, and what was done to it lately. */

import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";
import type { Capability, HostView, Operation } from "@/api/types";
import { ageOrTime, count, DASH, when } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { useLive } from "@/live/store";
import { operationLook } from "@/states/derived";
import { StateText } from "@/states/state-text";
import { Shape } from "@/ui/marks";
import { Section } from "@/ui/section";
import { bytes } from "./llc";

export function HostFacts({ host }: { host: HostView }): ReactNode {
  const now = useNow();
  const { inventory } = host;
  const memory = inventory?.nodes.reduce((sum, { memory_bytes }) => sum + memory_bytes, 0);
  const labels = Object.entries(host.labels).sort();
  return (
    <Section title="Host" note={inventory?.hostname !== host.host_id ? inventory?.hostname : undefined} padded>
      <dl className="facts">
        <dt>Status</dt>
        <dd>
          {host.status} since {when(host.status_since, new Date(now))}
        </dd>
        <dt>Last heard</dt>
        <dd>{ageOrTime(host.last_seen_at, now)}</dd>
        <dt>Registered</dt>
        <dd>{host.registered_at ? when(host.registered_at, new Date(now)) : "not yet"}</dd>
        <dt>Generation</dt>
        <dd>
          <Generation host={host} />
        </dd>
        <dt>Agent</dt>
        <dd>{inventory ? `${inventory.agent_version}, driver ${inventory.driver}` : DASH}</dd>
        <dt>Host model</dt>
        <dd>{inventory?.host_model ?? DASH}</dd>
        <dt>Kernel</dt>
        <dd>{inventory?.kernel ?? DASH}</dd>
        <dt>Memory</dt>
        <dd>{memory === undefined ? DASH : bytes(memory)}</dd>
        {inventory?.cpu_budget_percent != null && (
          <>
            <dt>CPU budget</dt>
            <dd>{`${inventory.cpu_budget_percent} % of a core, for all NFs together`}</dd>
          </>
        )}
        {reservedCoresText(host) && (
          <>
            <dt>Reserved</dt>
            <dd>{reservedCoresText(host)}</dd>
          </>
        )}
        {labels.map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
    </Section>
  );
}

function Generation({ host: { desired_generation: desired, applied_generation: applied } }: { host: HostView }) {
  if (desired === applied) return applied;
  return (
    <span className="warn">
      <Shape name="warn" />
      {desired} ordered, {applied} reached
    </span>
  );
}

/** "0 system, 1 rx", by core. */
export function reservedCoresText({ inventory }: HostView): string {
  return (inventory?.cores ?? [])
    .filter(({ reserved_for }) => reserved_for)
    .map(({ id, reserved_for }) => `${id} ${reserved_for}`)
    .join(", ");
}

/** What the agent can do here and how; what it cannot, and why. */
export function Capabilities({ host }: { host: HostView }): ReactNode {
  const all = [...(host.inventory?.capabilities ?? [])].sort((a, b) => (a.name < b.name ? -1 : 1));
  const cannot = all.filter(({ available }) => !available);
  const can = all.filter(({ available }) => available);
  if (all.length === 0) return null;
  return (
    <>
      <Section title="Cannot" note={cannot.length || "nothing is missing"} padded>
        <Reasons of={cannot} />
      </Section>
      <Section title="Can" padded>
        <details className="more">
          <summary>{count(can.length, "capability", "capabilities")}</summary>
          <Reasons of={can} />
        </details>
      </Section>
    </>
  );
}

function Reasons({ of }: { of: readonly Capability[] }): ReactNode {
  return (
    <dl className="capabilities">
      {of.map(({ name, reason }) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{reason}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

const LATEST = 6;

/** The newest operations that ordered something of this host, as far as the stream has reported them. */
export function OperationsHere({ host }: { host: string }): ReactNode {
  const operations = useLive((state) => state.operations);
  const here = [...operations.values()]
    .filter(({ hosts }) => hosts.some((work) => work.host === host))
    .sort((a, b) => b.id - a.id);
  return (
    <Section
      title="Operations"
      note={here.length === 0 ? "none recently" : undefined}
      end={<Link to="/operations">All</Link>}
    >
      {here.slice(0, LATEST).map((operation) => (
        <OperationHere key={operation.id} operation={operation} host={host} />
      ))}
    </Section>
  );
}

function OperationHere({ operation, host }: { operation: Operation; host: string }): ReactNode {
  const work = operation.hosts.find((each) => each.host === host);
  return (
    <div className="happened">
      <span className="t3">{when(operation.finished_at ?? operation.created_at)}</span>
      <span>
        <Link to="/operations/$operationId" params={{ operationId: String(operation.id) }}>
          {operation.title}
        </Link>{" "}
        <span className="t2">
          {work && `generation ${work.to_generation}, `}
          <StateText look={operationLook(operation)} />
        </span>
      </span>
    </div>
  );
}
