/** Folds one telemetry batch of a host into the state. Pure but for the draft it is given. */

import type { ChainView, HostView, NfSample, NfView, SloState, TelemetryBatch } from "@/api/types";
import type { Draft } from "./state";

export function applyTelemetry(draft: Draft, batch: TelemetryBatch): void {
  const host = draft.hosts.get(batch.host_id);
  if (!host || isRepeat(draft, batch)) return;
  draft.batches.set(batch.host_id, { epoch: batch.epoch, sequence: batch.sequence });
  draft.hosts.set(batch.host_id, withBatch(host, batch));
  foldNfs(draft, batch);
  foldChains(draft, batch);
}

/** (epoch, sequence) orders batches of one agent; a new epoch is a restarted agent. */
function isRepeat(draft: Draft, batch: TelemetryBatch): boolean {
  const last = draft.batches.get(batch.host_id);
  return last !== undefined && last.epoch === batch.epoch && batch.sequence <= last.sequence;
}

function withBatch(host: HostView, batch: TelemetryBatch): HostView {
  const sum = batch.chains.reduce((total, chain) => total + chain.delivered_mpps, 0);
  return {
    ...host,
    cores: batch.cores,
    // Left out of the batches of hosts that have none.
    nodes: batch.nodes ?? [],
    controls: batch.controls ?? [],
    provenance: batch.provenance,
    sampled_at: batch.taken_at,
    last_seen_at: batch.taken_at,
    applied_generation: batch.applied_generation,
    throughput_mpps: batch.chains.length > 0 ? sum : null,
  };
}

function foldNfs(draft: Draft, batch: TelemetryBatch): void {
  const known = draft.nfs.get(batch.host_id);
  if (!known || known.size === 0) return;
  const samples = new Map(batch.nfs.map((sample) => [sample.nf_id, sample]));
  const next = new Map<string, NfView>();
  for (const [id, nf] of known) {
    const sample = samples.get(id);
    next.set(id, sample ? withSample(nf, sample) : { ...nf, sample: null });
  }
  draft.nfs.set(batch.host_id, next);
}

function withSample(nf: NfView, sample: NfSample): NfView {
  return { ...nf, sample, actual_core: sample.core, state: sample.state, restarts: sample.restarts };
}

function foldChains(draft: Draft, batch: TelemetryBatch): void {
  for (const sample of batch.chains) {
    const chain = draft.chains.get(sample.chain);
    if (!chain) continue;
    draft.chains.set(
      sample.chain,
      judged({ ...withQuotas(chain, batch), sample, provenance: batch.provenance, sampled_at: batch.taken_at }),
    );
  }
}

/** What the host's agent gave its NFs by itself; only chains with quota bounds are given any. */
function withQuotas(chain: ChainView, batch: TelemetryBatch): ChainView {
  if (!chain.spec.quota_bounds) return chain;
  return {
    ...chain,
    bounded_nfs: (batch.bounded_nfs ?? []).filter((nf) => nf.chain === chain.spec.name),
    quota_changes: (batch.quota_changes ?? []).filter(({ nf_id }) => nf_id.startsWith(`${chain.spec.name}.`)),
  };
}

/** The chain without its figures while a host that it runs on is silent: nobody knows them, and no objective is judged. */
export function asHeard(draft: Draft, chain: ChainView): ChainView {
  if (!chain.sample) return chain;
  const silent = chain.placement.some(({ seat }) => (draft.hosts.get(seat.host)?.status ?? "up") !== "up");
  return silent ? judged({ ...chain, sample: null }) : chain;
}

/** A throughput objective counts as met from 98 % on: an interval's counters are not cut at packet borders. */
const SHORT = 0.98;

/** SLO states by this sample, by the backend's rule: what a firewall filters by its rules is no loss, and what is
 * paused on purpose, or was in the sample's interval, misses nothing. */
function judged(chain: ChainView): ChainView {
  const { slo } = chain.spec;
  const paused = chain.spec.paused || chain.sample?.paused === true;
  const sample = chain.state === "running" && !paused ? chain.sample : null;
  const floor = slo.min_throughput_mpps ?? null;
  const ceiling = slo.max_p95_ms ?? null;
  const through = sample ? sample.delivered_mpps + (sample.filtered_mpps ?? 0) : null;
  return {
    ...chain,
    throughput_slo: floor === null ? null : verdict(through, (value) => value >= SHORT * floor),
    latency_slo: ceiling === null ? null : verdict(sample?.p95_us ?? null, (us) => us <= ceiling * 1000),
  };
}

function verdict(value: number | null, met: (value: number) => boolean): SloState {
  if (value === null) return "no_data";
  return met(value) ? "met" : "violated";
}
