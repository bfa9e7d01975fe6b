/** The last seconds of a chain: what the backend kept, and every sample since. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { chainHistoryQuery, HISTORY_SECONDS } from "@/api/queries";
import type { ChainView } from "@/api/types";

export interface Point {
  /** Seconds since 1970. */
  readonly at: number;
  readonly offered: number;
  readonly delivered: number;
  readonly drop: number;
  /** µs; null where no packet arrived. */
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly p999: number | null;
}

/** `kept` with what came after it, once a time, cut to the last `seconds`. */
export function joined(kept: readonly Point[], since: readonly Point[], now: number, seconds: number): Point[] {
  const last = kept.at(-1)?.at ?? 0;
  const all = [...kept, ...since.filter(({ at }) => at > last + 0.01)];
  return all.filter(({ at }) => at >= now - seconds - 2);
}

/** The generated type says list of lists; anything that is not a point is left out. */
export function toPoints(samples: readonly (readonly (number | null)[])[]): Point[] {
  return samples.flatMap(([at, offered, delivered, drop, p50 = null, p95 = null, p99 = null, p999 = null]) =>
    typeof at === "number" && typeof offered === "number" && typeof delivered === "number" && typeof drop === "number"
      ? [{ at, offered, delivered, drop, p50, p95, p99, p999 }]
      : [],
  );
}

export function useChainHistory(chain: ChainView): { points: readonly Point[]; now: number; seconds: number } {
  const { data } = useQuery(chainHistoryQuery(chain.spec.name));
  const kept = useMemo(() => toPoints(data?.samples ?? []), [data]);
  const since = useRef<Point[]>([]);
  const point = pointOf(chain);
  if (point && point.at > (since.current.at(-1)?.at ?? 0)) {
    since.current = [...since.current.slice(-HISTORY_SECONDS), point];
  }
  const now = Date.now() / 1000;
  return { points: joined(kept, since.current, now, HISTORY_SECONDS), now, seconds: HISTORY_SECONDS };
}

function pointOf({ sample, sampled_at }: ChainView): Point | null {
  if (!sample || !sampled_at) return null;
  return {
    at: Date.parse(sampled_at) / 1000,
    offered: sample.offered_mpps,
    delivered: sample.delivered_mpps,
    drop: sample.drop_mpps,
    p50: sample.p50_us ?? null,
    p95: sample.p95_us ?? null,
    p99: sample.p99_us ?? null,
    p999: sample.p999_us ?? null,
  };
}
