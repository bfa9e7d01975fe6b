/** A host whose core 0 two NFs share, divided by rate and cost. */

import type { HostCost, HostCostFit, SharingCore, SharingHost, SharingNf } from "@/api/types";

export function sharingNf(id: string, change: Partial<SharingNf> = {}): SharingNf {
  return {
    nf_id: id,
    chain: id.split(".")[0] ?? id,
    nf_type: "firewall",
    load: 0.5,
    cost_us: 0.5,
    alone_us: 0.4,
    inflation: 0.25,
    expected_us: 0.48,
    expected_low_us: 0.455,
    expected_high_us: 0.507,
    expected_guessed: false,
    share_percent: 60,
    ...change,
  };
}

export function sharingCore(change: Partial<SharingCore> = {}): SharingCore {
  const b = sharingNf("nat.b", { load: 0.3, cost_us: 0.3, alone_us: null, inflation: null, share_percent: 40 });
  return {
    core: 0,
    node: 0,
    slots: 4,
    busy: 0.9,
    divided: true,
    law: "rate-cost",
    held: null,
    changed: {
      at: "2026-11-29T15:00:00Z",
      cause: "web.a is offered 1 Mpps at 0.5 us a packet, 62 % of what is asked of the core",
      nfs: [
        { nf_id: "nat.b", before_percent: 50, after_percent: 40 },
        { nf_id: "web.a", before_percent: 50, after_percent: 60 },
      ],
    },
    nfs: [sharingNf("web.a"), b],
    ...change,
  };
}

export function sharingHost(change: Partial<SharingHost> = {}): SharingHost {
  return {
    host: "edge-1",
    provenance: "simulated",
    measured_at: "2026-11-29T15:00:01Z",
    stopped: null,
    cost: null,
    fit: null,
    assigner: { algorithm: "min_max", why: "costs beside others were never fitted on edge-1" },
    assignable: 4,
    cores: [sharingCore()],
    ...change,
  };
}

export function hostCost(change: Partial<HostCost> = {}): HostCost {
  return {
    version: 3,
    fitted_at: "2026-11-29T15:00:00Z",
    fitted_by: "ada",
    since: "2026-11-29T09:00:00Z",
    until: "2026-11-29T15:00:00Z",
    windows: 2140,
    placements: 1,
    nf_types: ["firewall", "nat"],
    weight: "load",
    median_error: 0.012,
    left_out_error: 0.054,
    held_out_error: 0.21,
    provenance: "simulated",
    drifted_at: null,
    drift_nf: null,
    drift_error: null,
    ...change,
  };
}

/** One that waits for a worker. */
export function hostCostFit(change: Partial<HostCostFit> = {}): HostCostFit {
  return {
    id: 8,
    host: "edge-1",
    state: "fitting",
    asked_at: "2026-11-29T15:09:10Z",
    asked_by: "bert",
    began_at: null,
    windows: null,
    ended_at: null,
    cost: null,
    error: null,
    ...change,
  };
}
