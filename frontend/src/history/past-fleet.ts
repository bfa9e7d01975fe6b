/** The fleet of a moment in the shape of the live one, so that the same map draws it. Pure. */

import type { ChainView, HostView, NfView, PastFleet, PastHost } from "@/api/types";
import { NOT_KEPT } from "@/fleet/model";
import { EMPTY, type LiveState } from "@/live/state";

/** Hosts with the cores that they have now: what a machine is made of does not change. Those that did not report then are
 * drawn as unreachable, with nothing on them. Nothing else of now gets in. */
export function pastState(past: PastFleet, now: LiveState): LiveState {
  const byHost = new Map(past.hosts.map((host) => [host.host_id, host]));
  const hosts = new Map<string, HostView>();
  const nfs = new Map<string, ReadonlyMap<string, NfView>>();
  for (const host of now.hosts.values()) {
    const then = byHost.get(host.host_id);
    hosts.set(host.host_id, then ? hostThen(host, then, past.at) : silentThen(host, past.at));
    nfs.set(host.host_id, then ? nfsThen(host, then, now, past.at) : new Map());
  }
  return { ...EMPTY, ready: true, hosts, nfs };
}

/** Hosts that reported then and are not in the fleet any more: nobody knows their cores' places, so no map has them. */
export function goneHosts(past: PastFleet, now: LiveState): string[] {
  return past.hosts.map((host) => host.host_id).filter((id) => !now.hosts.has(id));
}

/** Without what operators reserved, and the slots that they set, since. What they had set then and have taken back is not
 * kept: those cores are free, and as their agent offers them. */
function inventoryThen({ inventory, reserved_cores, core_slots }: HostView, at: string): HostView["inventory"] {
  const isLater = ({ since }: { since: string }) => Date.parse(since) > Date.parse(at);
  const reservedLater = new Set(reserved_cores.filter(isLater).map(({ core }) => core));
  const slotsLater = core_slots !== null && core_slots !== undefined && isLater(core_slots);
  if (!inventory || (reservedLater.size === 0 && !slotsLater)) return inventory;
  return {
    ...inventory,
    cores: inventory.cores.map((core) => ({
      ...core,
      ...(reservedLater.has(core.id) ? { reserved_for: null } : {}),
      ...(slotsLater && core.agent_slots ? { slots: core.agent_slots, agent_slots: null } : {}),
    })),
  };
}

function hostThen(host: HostView, then: PastHost, at: string): HostView {
  return {
    ...host,
    applied_generation: NOT_KEPT,
    status: "up",
    status_reason: "",
    cordon: null,
    drift: null,
    inventory: inventoryThen(host, at),
    reserved_cores: host.reserved_cores.filter(({ since }) => Date.parse(since) <= Date.parse(at)),
    core_slots: host.core_slots && Date.parse(host.core_slots.since) <= Date.parse(at) ? host.core_slots : null,
    provenance: then.provenance,
    sampled_at: at,
    last_seen_at: at,
    cores: then.cores.map(({ core, busy_percent }) => ({ core, busy_percent })),
    nodes: [],
    throughput_mpps: then.throughput_mpps,
  };
}

function silentThen(host: HostView, at: string): HostView {
  return {
    ...host,
    applied_generation: NOT_KEPT,
    status: "unreachable",
    status_reason: "did not report",
    status_since: at,
    last_seen_at: null,
    cordon: null,
    drift: null,
    sampled_at: null,
    cores: [],
    nodes: [],
    throughput_mpps: null,
  };
}

function nfsThen(host: HostView, then: PastHost, now: LiveState, at: string): Map<string, NfView> {
  const nodes = new Map(host.inventory?.cores.map(({ id, node }) => [id, node]));
  const onCore = new Map<number, number>();
  const found = new Map<string, NfView>();
  for (const nf of then.nfs) {
    const slot = onCore.get(nf.core) ?? 0;
    onCore.set(nf.core, slot + 1);
    const [chain = "", name = nf.nf_id] = nf.nf_id.split(".");
    const known = knownNf(now, nf.nf_id);
    const sample = {
      nf_id: nf.nf_id,
      chain,
      core: nf.core,
      state: "running" as const,
      restarts: 0,
      rx_mpps: nf.rx_mpps,
      tx_mpps: nf.tx_mpps,
      drop_mpps: nf.drop_mpps,
      filtered_mpps: 0,
      cpu_percent: nf.cpu_percent,
      throttled_percent: null,
      cycles_per_packet: null,
      ring_used_percent: null,
      ring_peak_percent: null,
      ...(nf.utilisation_percent === null
        ? {}
        : { utilisation_percent: nf.utilisation_percent, utilisation_basis: "busy-time" as const }),
    };
    found.set(nf.nf_id, {
      nf_id: nf.nf_id,
      chain,
      position: known?.position ?? 0,
      nf_type: known?.nf_type ?? name,
      nf_version: null,
      short_name: known?.short_name ?? name.slice(0, 8),
      seat: {
        host: host.host_id,
        node: nodes.get(nf.core) ?? 0,
        core: nf.core,
        slot,
        llc_ways: null,
        memory_bandwidth_percent: null,
        cpu_share: null,
        cpu_quota_percent: null,
      },
      actual_core: nf.core,
      state: "running",
      restarts: 0,
      paused: false,
      plan_id: known?.plan_id ?? 0,
      since: at,
      sample,
    });
  }
  return found;
}

/** Chains that ran on the host then, with their figures, so that its picture draws their paths. One that is gone since is
 * left out: the order of its NFs is not kept. */
export function chainsThen(past: PastFleet, host: string, now: LiveState): ChainView[] {
  return past.chains.flatMap((then) => {
    const known = now.chains.get(then.chain);
    if (!known || then.host !== host) return [];
    const { offered_mpps, delivered_mpps, drop_mpps, p95_us } = then;
    return {
      ...known,
      state: "running" as const,
      placement: [],
      provenance: then.provenance,
      sampled_at: past.at,
      throughput_slo: null,
      latency_slo: null,
      sample: { chain: then.chain, offered_mpps, delivered_mpps, drop_mpps, p95_us, filtered_mpps: 0 },
    };
  });
}

/** An NF that is there now has the type that it had: a chain's NFs do not change. */
export function knownNf(now: LiveState, id: string): NfView | undefined {
  for (const nfs of now.nfs.values()) {
    const nf = nfs.get(id);
    if (nf) return nf;
  }
  return undefined;
}

/** Whether objectives were missed in the interval, by the samples that could be judged; null where none could. */
export function missedThen(chain: PastFleet["chains"][number]): boolean | null {
  return chain.judged === 0 ? null : chain.met < chain.judged;
}

export type PastChain = PastFleet["chains"][number];
