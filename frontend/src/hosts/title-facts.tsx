/** Beside the host's name: silent since when, violated chains, what is in use, generation, sum of its chains,
 *  how far control laws may act. */

import type { ReactNode } from "react";
import type { HostView } from "@/api/types";
import { count, figure, thousands } from "@/lib/format";
import { Mark, Shape } from "@/ui/marks";
import { AutomationFact } from "./host-automation";
import { SilentFact } from "./silent-banner";
import type { HostData } from "./use-host";

export function TitleFacts({ data }: { data: HostData }): ReactNode {
  const { host, model, chains, violations, figures } = data;
  const cores = model.cores.flat();
  const shared = cores.some(({ core }) => (core.slots ?? 1) > 1);
  const nodes = host.inventory?.nodes.length ?? 0;
  const drifts = host.desired_generation !== host.applied_generation;
  return (
    <>
      <SilentFact host={host} />
      {violations.length > 0 && (
        <span className="bad nowrap">
          <Shape name="bad" />
          {violations.length} of {count(chains.length, "chain")} violated
        </span>
      )}
      {host.inventory && (
        <span>
          {nodes > 1 && `${nodes} nodes, `}
          <b>{thousands(cores.length)}</b> {cores.length === 1 ? "core" : "cores"}, <b>{model.inUse}</b>{" "}
          {shared ? "slots " : ""}in use
        </span>
      )}
      {host.drift && (
        <span className="warn nowrap" title={host.drift.summary}>
          <Shape name="warn" />
          drift
        </span>
      )}
      <span className={drifts ? "warn nowrap" : "nowrap"}>
        {drifts && <Shape name="warn" />}
        generation <b>{host.applied_generation}</b>
        {drifts && orderedText(host)}
      </span>
      {figures === "present" && host.throughput_mpps !== null && (
        <span className="nowrap">
          <Mark origin={host.provenance} />
          <b>{figure(host.throughput_mpps)}</b> Mpps
        </span>
      )}
      {host.inventory && <AutomationFact host={host.host_id} />}
    </>
  );
}

/** A host that runs a newer order than is known here, as after a restored backup, is ahead. */
function orderedText({ desired_generation: desired, applied_generation: applied }: HostView): string {
  return applied > desired ? `, ahead of ${desired} ordered here` : ` of ${desired} ordered`;
}
