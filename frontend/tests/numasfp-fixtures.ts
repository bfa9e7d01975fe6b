/** A host with two nodes: web is offered 8.8 Gbps on the remote one and falls short, nat 3.2 Gbps on the local one. */

import type { NumasfpChain, NumasfpHost, NumasfpHostRow, NumasfpParameters, Recommendation } from "@/api/types";
import { AT } from "./fixtures";

export const DIGEST = `sha256:${"a".repeat(64)}`;

export function lawChain(chain: string, change: Partial<NumasfpChain> = {}): NumasfpChain {
  return {
    chain,
    node: 0,
    local: true,
    nfs: 2,
    rate_gbps: 3.2,
    forecast_gbps: 3.2,
    carried_gbps: 3.2,
    llc_ways: 4,
    memory_bandwidth_percent: 30,
    bounds: {
      law: "numasfp",
      law_version: 1,
      table: DIGEST,
      least_ways: 2,
      most_ways: 8,
      least_percent: 10,
      most_percent: 90,
    },
    control: "in_full",
    violations: 0,
    in_full: true,
    note: null,
    ...change,
  };
}

export const WEB = lawChain("web", {
  node: 1,
  local: false,
  rate_gbps: 8.8,
  forecast_gbps: 8.7,
  carried_gbps: 5.8,
  llc_ways: 5,
  control: "short",
  violations: 6,
  in_full: false,
});
export const NAT = lawChain("nat");

export function lawHost(change: Partial<NumasfpHost> = {}): NumasfpHost {
  return {
    host: "edge-1",
    mode: "recommend",
    stopped: null,
    provenance: "simulated",
    evaluated_at: AT,
    reason: "web and nat are recommended to change places",
    table: { version: 2, digest: DIGEST, nf_types: ["firewall", "nat"], provenance: "simulated" },
    nodes: [
      { node: 0, cores: 14, ways: 10 },
      { node: 1, cores: 14, ways: 10 },
    ],
    chains: [NAT, WEB],
    moves: [],
    budget_moves: 16,
    budget_s: 120,
    margin_gbps: 0.24,
    gain_gbps: 3,
    held_intervals: 2,
    hold_intervals: 2,
    following_published: false,
    transfers: [],
    recommendation_id: 1,
    last_outcome: null,
    ...change,
  };
}

export function lawRow(host: string, change: Partial<NumasfpHostRow> = {}): NumasfpHostRow {
  return {
    host,
    mode: "recommend",
    chains: 2,
    violated: 0,
    offered_gbps: 12,
    carried_gbps: 12,
    budget_left: 16,
    reason: "no gain",
    evaluated_at: AT,
    provenance: "simulated",
    recommendation_id: null,
    ...change,
  };
}

export function swap(change: Partial<Recommendation> = {}): Recommendation {
  return {
    id: 1,
    law: "numasfp",
    host: "edge-1",
    plan_id: 7,
    state: "open",
    hosts: ["edge-1"],
    chains: ["nat", "web"],
    moves: 4,
    gain_mpps: 0,
    gain_gbps: 3,
    because: "web is offered 8.8 Gbps and carries 5.8 on node 1",
    low_mpps: null,
    high_mpps: null,
    gain_percent: 25,
    provenance: "predicted",
    restores: ["web"],
    breaks: [],
    trust: "untested",
    trust_why: "levels were measured on the twin",
    automatic: false,
    reason: null,
    operation_id: null,
    created_at: AT,
    decided_at: null,
    decided_by: null,
    ...change,
  };
}

export const PARAMETERS: NumasfpParameters = {
  law: "numasfp",
  hold_intervals: 2,
  margin_percent: 2,
  budget_moves: 16,
  budget_s: 120,
  cool_down_s: 5,
  forecast_weight: 0.8,
  horizon: 6,
  least_loss: 0.5,
  reversal_s: 30,
  shadow_intervals: 30,
  late_s: 2.5,
  most_gbps: 1000,
  forgone_factor: 4,
};
