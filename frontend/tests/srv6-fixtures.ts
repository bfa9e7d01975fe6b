/** A chain on edge-1 that needs more than its host has, and would get a lane on edge-2. */

import type { Recommendation, Srv6Chain, Srv6Host, Srv6HostRow, Srv6Parameters } from "@/api/types";
import { AT } from "./fixtures";

export function srv6Chain(change: Partial<Srv6Chain> = {}): Srv6Chain {
  return {
    chain: "web",
    lanes: [{ chain: "web", host: "edge-1", offered_mpps: 0.03, carried_mpps: 0.025, worst: 4, saturated: "web.nids" }],
    best_mpps: 0.02,
    above_since: AT,
    surplus_since: null,
    why_not: null,
    recommended_lanes: 2,
    recommended_hosts: { "web-lane-2": "edge-2" },
    uncounted: [],
    ...change,
  };
}

export function srv6Host(change: Partial<Srv6Host> = {}): Srv6Host {
  return {
    host: "edge-1",
    mode: "recommend",
    stopped: null,
    provenance: "measured",
    evaluated_at: AT,
    reason: "web in 2 lanes is recommended",
    chains: [srv6Chain()],
    unseen: {},
    rests_until: null,
    recommendation_id: 1,
    ...change,
  };
}

export function srv6Row(host: string, change: Partial<Srv6HostRow> = {}): Srv6HostRow {
  return {
    host,
    mode: "recommend",
    chains: 1,
    lanes: 1,
    saturated: 0,
    offered_mpps: 0.03,
    reason: "no NF needs more than its host has",
    evaluated_at: AT,
    provenance: "measured",
    recommendation_id: null,
    ...change,
  };
}

export const SRV6_PARAMETERS: Srv6Parameters = {
  law: "srv6",
  hold_s: 1,
  load_percent: 80,
  other_work_percent: 100,
  surplus_s: 30,
  rest_s: 5,
  late_s: 2.5,
};

export function lanes(one: Recommendation): Recommendation {
  return { ...one, law: "srv6", chains: ["web"], because: "web.nids has its packets longer than tolerated" };
}
