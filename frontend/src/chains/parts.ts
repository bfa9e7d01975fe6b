/** Parts: the chains that carry one chain over several hosts, and what all of them together do. Pure. */

import type { ChainView, Part, PathHop, Transit } from "@/api/types";
import { secondsSince } from "@/lib/format";

/** A host that has said nothing for so long is stale. */
const STALE_AFTER_S = 3;

export interface PartRow {
  readonly chain: ChainView;
  readonly part: Part;
}

/** All parts of a chain, in the order in which packets pass. */
export function partsOf(chains: Iterable<ChainView>, of: string): PartRow[] {
  const found = [...chains].flatMap((chain) => {
    const part = chain.spec.part;
    return part?.of === of ? [{ chain, part }] : [];
  });
  return found.sort((a, b) => a.part.number - b.part.number);
}

/** Chains by whose figures a chain is shown: all its parts where packets enter with it, else itself alone. */
export function wholeOf(chain: ChainView, chains: Iterable<ChainView>): readonly [ChainView, ...ChainView[]] {
  const { part } = chain.spec;
  const [, ...rest] = part?.number === 1 ? partsOf(chains, part.of) : [];
  return [chain, ...rest.map((row) => row.chain)];
}

/** "part 2 of 3 of web" */
export function partWords({ of, number, count }: Part): string {
  return `part ${number} of ${count} of ${of}`;
}

/** For how long its host has been silent, once that is long enough to doubt its figures. */
export function silentFor(chain: ChainView, now: number): number | null {
  if (!chain.sampled_at) return null;
  const seconds = secondsSince(chain.sampled_at, now);
  return seconds > STALE_AFTER_S ? seconds : null;
}

export interface WholeWay {
  readonly entered: number | null;
  readonly left: number | null;
  /** Neither left nor filtered by rules. */
  readonly lost: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
}

/** From where packets enter to where they leave; nothing of it is known before both ends are measured. */
export function wholeWay(rows: readonly PartRow[]): WholeWay {
  const samples = rows.map(({ chain }) => chain.sample);
  const first = samples.at(0) ?? null;
  const last = samples.at(-1) ?? null;
  const filtered = samples.reduce((sum, sample) => sum + (sample?.filtered_mpps ?? 0), 0);
  return {
    entered: first?.offered_mpps ?? null,
    left: last?.delivered_mpps ?? null,
    lost: first && last ? Math.max(0, first.offered_mpps - last.delivered_mpps - filtered) : null,
    p50: last?.p50_us ?? null,
    p95: last?.p95_us ?? null,
  };
}

/** Hops of all hosts, in the order in which packets pass. */
export function hopsOf(rows: readonly PartRow[]): PathHop[] {
  return rows.flatMap(({ chain }) => chain.sample?.path ?? []);
}

/** How long packets took from hop to hop: the host where they leave knows it of all; nothing while it is silent. */
export function transitsOf(rows: readonly PartRow[], now: number): readonly Transit[] {
  const last = rows.at(-1)?.chain;
  return last && silentFor(last, now) === null ? (last.sample?.transits ?? []) : [];
}

/** The one that holds packets longest, of hosts that are heard; null where no packet came back. */
export function slowestOf(rows: readonly PartRow[], now: number): PathHop | null {
  const heard = hopsOf(rows.filter(({ chain }) => silentFor(chain, now) === null));
  return heard.reduce<PathHop | null>(
    (most, hop) => (hop.p95_us != null && hop.p95_us > (most?.p95_us ?? 0) ? hop : most),
    null,
  );
}

/** What hops and the ways between them come to, their 95th percentiles added up, where packets took more than twice as long
 * from the source to the sink: the rest is none of theirs. Null: they explain it, or not all of them are known. */
export function withinHops(
  hops: readonly PathHop[],
  transits: readonly Transit[],
  p95: number | null | undefined,
): number | null {
  const known = [...hops, ...transits].flatMap(({ p95_us }) => (p95_us == null ? [] : [p95_us]));
  if (p95 == null || hops.length === 0 || known.length < hops.length + transits.length) return null;
  const within = known.reduce((sum, one) => sum + one, 0);
  return p95 > 2 * within ? within : null;
}
