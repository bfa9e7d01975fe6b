/** The last seconds of a chain: what the backend kept, and every sample since. */

import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { chainHistoryQuery, HISTORY_SECONDS } from "@/api/queries";
import type { ChainView } from "@/api/types";

/** [seconds since 1970, offered Mpps, delivered Mpps, p95 in µs or null] */
export type Point = readonly [number, number, number, number | null];

/** `kept` with what came after it, once a time, cut to the last `seconds`. */
export function joined(kept: readonly Point[], since: readonly Point[], now: number, seconds: number): Point[] {
  const last = kept.at(-1)?.[0] ?? 0;
  const all = [...kept, ...since.filter(([at]) => at > last + 0.01)];
  return all.filter(([at]) => at >= now - seconds - 2);
}

/** The generated type says list of lists; anything that is not a point is left out. */
export function toPoints(samples: readonly (readonly (number | null)[])[]): Point[] {
  return samples.flatMap(([at, offered, delivered, p95]) =>
    typeof at === "number" && typeof offered === "number" && typeof delivered === "number"
      ? [[at, offered, delivered, p95 ?? null] as const]
      : [],
  );
}

export function useChainHistory(chain: ChainView): { points: readonly Point[]; now: number; seconds: number } {
  const { data } = useQuery(chainHistoryQuery(chain.spec.name));
  const kept = useMemo(() => toPoints(data?.samples ?? []), [data]);
  const since = useRef<Point[]>([]);
  const at = chain.sampled_at ? Date.parse(chain.sampled_at) / 1000 : null;
  if (at !== null && chain.sample && at > (since.current.at(-1)?.[0] ?? 0)) {
    const { offered_mpps, delivered_mpps, p95_us } = chain.sample;
    since.current = [...since.current.slice(-HISTORY_SECONDS), [at, offered_mpps, delivered_mpps, p95_us ?? null]];
  }
  const now = Date.now() / 1000;
  return { points: joined(kept, since.current, now, HISTORY_SECONDS), now, seconds: HISTORY_SECONDS };
}
