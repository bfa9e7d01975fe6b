/** Small, complete values of the API's types; each test overrides what it is about. */

import { DEFAULT_SOLVING } from "@/api/defaults";
import type {
  Cause,
  ChainView,
  Change,
  ComparedPlan,
  HostView,
  NfView,
  Operation,
  Plan,
  PlanBody,
  PlanBrief,
  SnapshotEvent,
  TelemetryBatch,
  Victim,
} from "@/api/types";
import type { HostShape } from "@/fleet/shape";

export const AT = "2026-11-21T10:00:00Z";

/** `nodes` nodes of `cores` cores; `slots` a core. */
export function host(id: string, nodes = 1, cores = 2, slots = 1, change: Partial<HostView> = {}): HostView {
  return {
    host_id: id,
    labels: {},
    status: "up",
    status_reason: "last heard 10:00:00",
    status_since: AT,
    last_seen_at: AT,
    registered_at: AT,
    inventory: {
      host_id: id,
      hostname: id,
      host_model: "m",
      driver: "testbed",
      kernel: "6.1",
      agent_version: "0.1.0",
      nodes: Array.from({ length: nodes }, (_, node) => ({
        id: node,
        socket: node,
        memory_bytes: 1,
        llc: null,
        memory_bandwidth_steps_percent: [],
      })),
      cores: Array.from({ length: nodes * cores }, (_, core) => ({
        id: core,
        node: Math.floor(core / cores),
        socket: 0,
        physical_core: core,
        siblings: [],
        slots,
        last_choice: false,
        reserved_for: null,
      })),
      nics: [{ name: "eth0", node: 0, pci_address: null, driver: null, speed_mbps: null }],
      ports: [],
      capabilities: [],
      nf_types: null,
      most_flows: null,
    },
    desired_generation: 1,
    applied_generation: 1,
    provenance: "measured",
    sampled_at: AT,
    cores: [],
    nodes: [],
    throughput_mpps: null,
    reserved_cores: [],
    version: 1,
    ...change,
  };
}

export function nf(id: string, hostId: string, core: number, change: Partial<NfView> = {}): NfView {
  return {
    nf_id: id,
    chain: id.split(".")[0] ?? id,
    position: 0,
    nf_type: "router",
    short_name: "router",
    seat: { host: hostId, node: 0, core, slot: 0, llc_ways: null, memory_bandwidth_percent: null, cpu_share: null },
    actual_core: core,
    state: "running",
    restarts: 0,
    paused: false,
    plan_id: 1,
    since: AT,
    sample: null,
    ...change,
  };
}

export function nfSample(
  id: string,
  change: Partial<NonNullable<NfView["sample"]>> = {},
): NonNullable<NfView["sample"]> {
  return {
    nf_id: id,
    chain: id.split(".")[0] ?? id,
    core: 0,
    state: "running",
    restarts: 0,
    rx_mpps: 1,
    tx_mpps: 1,
    drop_mpps: 0,
    filtered_mpps: 0,
    cpu_percent: 50,
    cycles_per_packet: null,
    ring_used_percent: 0,
    ...change,
  };
}

export function chain(name: string, change: Partial<ChainView> = {}): ChainView {
  return {
    spec: {
      name,
      nfs: [{ type: "router", name: "router", config: {}, cpu_share: null, cpu_quota_percent: null }],
      ingress: {
        host: null,
        port: null,
        match: { src_prefix: "10.0.0.0/8", dst_prefix: "192.168.0.0/16", protocol: "udp", dst_port: null },
      },
      egress: { host: null, port: null },
      traffic: { rate_mpps: 1, packet_bytes: 64, flows: 1000 },
      execution: "isolated",
      paused: false,
      slo: { min_throughput_mpps: 0.9, max_p95_ms: 1 },
      value: 1,
    },
    state: "running",
    placement: [],
    stands_with: [],
    tied_with: [],
    plan_id: 1,
    operation_id: 1,
    sample: null,
    provenance: "measured",
    sampled_at: null,
    throughput_slo: "no_data",
    latency_slo: "no_data",
    created_at: AT,
    created_by: "admin",
    version: 1,
    ...change,
  };
}

export function batch(hostId: string, sequence: number, change: Partial<TelemetryBatch> = {}): TelemetryBatch {
  return {
    host_id: hostId,
    epoch: "e1",
    sequence,
    taken_at: AT,
    interval_s: 1,
    provenance: "measured",
    applied_generation: 2,
    phase: "converged",
    nfs: [],
    chains: [],
    cores: [],
    nodes: [],
    ...change,
  };
}

export function plan(id: number, change: Partial<PlanBrief> = {}): PlanBrief {
  return {
    id,
    state: "proposed",
    kind: "place",
    subject: "web-edge",
    changes: 3,
    rejected: 0,
    source: "fleet",
    operation_id: null,
    created_at: AT,
    created_by: "admin",
    ...change,
  };
}

export function seat(hostId: string, core: number, node = 0): Change["target"] & object {
  return { host: hostId, node, core, slot: 0, llc_ways: null, memory_bandwidth_percent: null, cpu_share: null };
}

export function change(id: string, target: Change["target"], part: Partial<Change> = {}): Change {
  const chainName = id.split(".")[0] ?? id;
  return {
    kind: "start",
    nf_id: id,
    chain: chainName,
    nf_type: "router",
    source: null,
    target,
    gain_mpps: 1,
    reason: "",
    ...part,
  };
}

export function planBody(part: Partial<PlanBody> = {}, evidence: Partial<PlanBody["evidence"]> = {}): PlanBody {
  return {
    intent: { kind: "replace", host: null, keep: [] },
    base: [{ host: "edge-1", generation: 4, digest: `sha256:${"a".repeat(64)}` }],
    target: [],
    changes: [],
    adjustments: [],
    before: [],
    after: [],
    rejected: [],
    predictions: [],
    worse: [],
    other_work: [],
    evidence: {
      algorithm: "exact",
      status: "optimal",
      objective_mpps: 5,
      score: 5,
      bound: 5,
      evaluations: 12,
      seconds: 0.02,
      seed: 0,
      models: [],
      solving: DEFAULT_SOLVING,
      stopped: false,
      hosts: [],
      exchanges: 0,
      frontier: [],
      ...evidence,
    },
    checks: [],
    warnings: [],
    ...part,
  };
}

/** A plan as GET /plans/{id} gives it. */
export function fullPlan(part: Partial<Plan> = {}): Plan {
  return {
    id: 7,
    state: "proposed",
    intent: { kind: "replace", host: null, keep: [] },
    solving: DEFAULT_SOLVING,
    source: "fleet",
    comparison_id: null,
    progress: null,
    digest: `sha256:${"a".repeat(64)}`,
    body: planBody(),
    error: null,
    operation_id: null,
    created_at: AT,
    created_by: "ops-1",
    decided_at: null,
    version: 1,
    ...part,
  };
}

/** `ideal` Mpps at 1 Mpps a unit of drop: an NF that would give 10 loses 10 times the drop. */
export function victim(id: string, node: number, causes: readonly Cause[], part: Partial<Victim> = {}): Victim {
  const lost = causes.reduce((sum, { lost_mpps }) => sum + lost_mpps, 0);
  return {
    nf_id: id,
    chain: id.split(".")[0] ?? id,
    nf_type: "router",
    node,
    mpps: 10 - lost,
    ideal_mpps: 10,
    is_bottleneck: false,
    causes: [...causes],
    ...part,
  };
}

/** A cause of an NF whose ideal is 10 Mpps. */
export function cause(kind: Cause["kind"], nfId: string | null, llc: number, mem: number, fixed = 0): Cause {
  return { kind, nf_id: nfId, llc_drop: llc, mem_drop: mem, lost_mpps: (llc + mem + fixed) * 10, share: 0 };
}

export function compared(
  id: number,
  algorithm: ComparedPlan["algorithm"],
  part: Partial<ComparedPlan> = {},
): ComparedPlan {
  return {
    plan_id: id,
    algorithm,
    state: "proposed",
    status: "feasible",
    objective_mpps: null,
    score: null,
    bound: null,
    gap: null,
    evaluations: 1,
    seconds: 0.1,
    changes: 0,
    moves: 0,
    placed: 0,
    rejected: 0,
    rejected_value: 0,
    ...part,
  };
}

export function operation(id: number, change: Partial<Operation> = {}): Operation {
  return {
    id,
    kind: "apply",
    state: "PROCESSING",
    plan_id: 1,
    title: "Place web-edge on edge-1",
    hosts: [],
    waits_for_host: false,
    attempts: 1,
    next_attempt_at: null,
    error: null,
    actions: [],
    cancel_requested: false,
    requested_by: "admin",
    request_id: null,
    created_at: AT,
    started_at: AT,
    finished_at: null,
    version: 1,
    ...change,
  };
}

export function snapshot(change: Partial<SnapshotEvent> = {}): SnapshotEvent {
  return {
    event: "snapshot",
    taken_at: AT,
    hosts: [],
    nfs: [],
    chains: [],
    plans: [],
    operations: [],
    profiling: [],
    studies: [],
    recommendations: [],
    alerts: { critical: 0, warning: 0, info: 0, acknowledged: 0, silenced: 0, revision: 0 },
    ...change,
  };
}

/** A fleet's shapes: `count` hosts of `nodes` x `cores`, 20 hosts a rack, 10 racks a zone. */
export function shapes(count: number, nodes = 2, cores = 16, slots = 1): HostShape[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `h-${index}`,
    zone: `z${Math.floor(index / 200)}`,
    rack: `r${Math.floor(index / 20)}`,
    nodes: Array.from({ length: nodes }, (_, node) => ({
      id: node,
      holdsNics: node === 0,
      cores: Array.from({ length: cores }, (_, core) => ({ id: node * cores + core, slots })),
    })),
  }));
}
