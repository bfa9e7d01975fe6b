/** What the console knows about the fleet: one snapshot and every delta since. Pure. */

import type {
  AlertCounts,
  ChainView,
  HostView,
  LiveEvent,
  NfView,
  Operation,
  PlanBrief,
  ProfilingJob,
  ProfilingPoint,
  Recommendation,
  SnapshotEvent,
  Study,
} from "@/api/types";
import { applyTelemetry, asHeard } from "./telemetry";

type Nfs = ReadonlyMap<string, NfView>;

export interface LiveState {
  /** False until the first snapshot. */
  readonly ready: boolean;
  readonly hosts: ReadonlyMap<string, HostView>;
  /** By host, then by NF id; an untouched host keeps its map, so a painter can tell what changed by identity. */
  readonly nfs: ReadonlyMap<string, Nfs>;
  readonly chains: ReadonlyMap<string, ChainView>;
  readonly plans: ReadonlyMap<number, PlanBrief>;
  readonly operations: ReadonlyMap<number, Operation>;
  readonly profiling: ReadonlyMap<number, ProfilingJob>;
  readonly studies: ReadonlyMap<number, Study>;
  /** The open ones, by `recommendationKey`. */
  readonly recommendations: ReadonlyMap<string, Recommendation>;
  readonly alerts: AlertCounts;
  /** Points that changed since the last snapshot, by job and by their own id; a job's page fetches the others. */
  readonly points: ReadonlyMap<number, ReadonlyMap<number, ProfilingPoint>>;
  /** Newest (epoch, sequence) of each host: makes a repeated batch harmless. */
  readonly batches: ReadonlyMap<string, { epoch: string; sequence: number }>;
}

/** A state that one batch of events may change in place before it is published. */
export interface Draft {
  ready: boolean;
  hosts: Map<string, HostView>;
  nfs: Map<string, Nfs>;
  chains: Map<string, ChainView>;
  plans: Map<number, PlanBrief>;
  operations: Map<number, Operation>;
  profiling: Map<number, ProfilingJob>;
  studies: Map<number, Study>;
  recommendations: Map<string, Recommendation>;
  alerts: AlertCounts;
  points: Map<number, ReadonlyMap<number, ProfilingPoint>>;
  batches: Map<string, { epoch: string; sequence: number }>;
}

export const EMPTY: LiveState = {
  ready: false,
  hosts: new Map(),
  nfs: new Map(),
  chains: new Map(),
  plans: new Map(),
  operations: new Map(),
  profiling: new Map(),
  studies: new Map(),
  recommendations: new Map(),
  alerts: { critical: 0, warning: 0, info: 0, acknowledged: 0, silenced: 0, revision: 0 },
  points: new Map(),
  batches: new Map(),
};

/** The state after `events`. A map is copied once a call, and only if an event of this batch may change it. */
export function reduce(state: LiveState, events: readonly LiveEvent[]): LiveState {
  if (events.length === 0) return state;
  const kinds = new Set(events.map((event) => event.event));
  const figures = kinds.has("telemetry");
  const hosts = kinds.has("host") || kinds.has("host_gone");
  const draft: Draft = {
    ready: state.ready,
    hosts: copyIf(figures || hosts, state.hosts),
    nfs: copyIf(figures || hosts, state.nfs),
    chains: copyIf(figures || hosts || kinds.has("chain") || kinds.has("chain_gone"), state.chains),
    plans: copyIf(kinds.has("plan"), state.plans),
    operations: copyIf(kinds.has("operation"), state.operations),
    profiling: copyIf(kinds.has("profiling"), state.profiling),
    studies: copyIf(kinds.has("study") || kinds.has("study_gone"), state.studies),
    recommendations: copyIf(kinds.has("recommendation"), state.recommendations),
    alerts: state.alerts,
    points: copyIf(kinds.has("profiling"), state.points),
    batches: copyIf(figures || kinds.has("host_gone"), state.batches),
  };
  for (const event of events) applyEvent(draft, event);
  return draft;
}

/** The map itself where nothing will write to it, so that readers see by identity that it did not change. */
function copyIf<K, V>(touched: boolean, map: ReadonlyMap<K, V>): Map<K, V> {
  return touched ? new Map(map) : (map as Map<K, V>);
}

function applyEvent(draft: Draft, event: LiveEvent): void {
  if (event.event === "snapshot") {
    replaceAll(draft, event);
    return;
  }
  // Deltas before the first snapshot have nothing to change: the snapshot that follows holds them.
  if (!draft.ready) return;
  switch (event.event) {
    case "telemetry":
      applyTelemetry(draft, event.batch);
      break;
    case "host":
      draft.hosts.set(event.host.host_id, event.host);
      draft.nfs.set(event.host.host_id, byId(event.nfs));
      if (event.host.status !== "up") forgetSilent(draft);
      break;
    case "host_gone":
      draft.hosts.delete(event.host);
      draft.nfs.delete(event.host);
      draft.batches.delete(event.host);
      break;
    case "chain":
      draft.chains.set(event.chain.spec.name, asHeard(draft, event.chain));
      break;
    case "chain_gone":
      draft.chains.delete(event.name);
      break;
    case "plan":
      draft.plans.set(event.plan.id, event.plan);
      break;
    case "operation":
      if (isNewer(event.operation, draft.operations.get(event.operation.id))) {
        draft.operations.set(event.operation.id, event.operation);
      }
      break;
    case "profiling":
      if (isNewer(event.job, draft.profiling.get(event.job.id))) {
        draft.profiling.set(event.job.id, event.job);
        if (event.point) keepPoint(draft, event.point);
      }
      break;
    case "study":
      if (isNewer(event.study, draft.studies.get(event.study.id))) draft.studies.set(event.study.id, event.study);
      break;
    case "study_gone":
      draft.studies.delete(event.id);
      break;
    case "recommendation":
      follow(draft.recommendations, event.recommendation);
      break;
    case "alerts":
      if (event.counts.revision >= draft.alerts.revision) draft.alerts = event.counts;
      break;
  }
}

function keepPoint(draft: Draft, point: ProfilingPoint): void {
  draft.points.set(point.job_id, new Map(draft.points.get(point.job_id)).set(point.id, point));
}

/** At most one is open by law and host; of a law that is evaluated for the whole fleet, one. */
export function recommendationKey({ law, host }: Recommendation): string {
  return `${law}/${host ?? ""}`;
}

/** One that was decided goes, unless another of its law is open by now. */
function follow(open: Map<string, Recommendation>, changed: Recommendation): void {
  const key = recommendationKey(changed);
  if (changed.state === "open") open.set(key, changed);
  else if (open.get(key)?.id === changed.id) open.delete(key);
}

function isNewer(next: { version: number }, known: { version: number } | undefined): boolean {
  return known === undefined || next.version >= known.version;
}

function replaceAll(draft: Draft, snapshot: SnapshotEvent): void {
  draft.ready = true;
  draft.hosts = new Map(snapshot.hosts.map((host) => [host.host_id, host]));
  draft.chains = new Map(snapshot.chains.map((chain) => [chain.spec.name, chain]));
  draft.plans = new Map(snapshot.plans.map((plan) => [plan.id, plan]));
  draft.operations = new Map(snapshot.operations.map((operation) => [operation.id, operation]));
  draft.profiling = new Map(snapshot.profiling.map((job) => [job.id, job]));
  draft.studies = new Map(snapshot.studies.map((study) => [study.id, study]));
  draft.recommendations = new Map(snapshot.recommendations.map((one) => [recommendationKey(one), one]));
  draft.alerts = snapshot.alerts;
  draft.points = new Map();
  draft.batches = new Map();
  forgetSilent(draft);
  const grouped = new Map<string, NfView[]>(snapshot.hosts.map((host) => [host.host_id, []]));
  for (const nf of snapshot.nfs) {
    const known = grouped.get(nf.seat.host);
    if (known) known.push(nf);
    else grouped.set(nf.seat.host, [nf]);
  }
  draft.nfs = new Map([...grouped].map(([host, nfs]) => [host, byId(nfs)]));
}

/** The map hatches a silent host; a chain's last figures would pass for present ones in a table. */
function forgetSilent(draft: Draft): void {
  for (const [name, chain] of draft.chains) draft.chains.set(name, asHeard(draft, chain));
}

function byId(nfs: readonly NfView[]): Nfs {
  return new Map(nfs.map((nf) => [nf.nf_id, nf]));
}

/** The state as a snapshot event: what a page that joins a running stream is given. */
export function toSnapshot(state: LiveState, takenAt: string): SnapshotEvent {
  return {
    event: "snapshot",
    taken_at: takenAt,
    hosts: [...state.hosts.values()],
    nfs: [...state.nfs.values()].flatMap((nfs) => [...nfs.values()]),
    chains: [...state.chains.values()],
    plans: [...state.plans.values()],
    operations: [...state.operations.values()],
    profiling: [...state.profiling.values()],
    studies: [...state.studies.values()],
    recommendations: [...state.recommendations.values()],
    alerts: state.alerts,
  };
}
