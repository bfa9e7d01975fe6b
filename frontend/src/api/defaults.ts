/** What the console takes where a request says nothing. */

import type { ProfilingAsk, Solving } from "./types";

/** The engine's own choice of algorithm, ten seconds, as many moves as pay. */
export const DEFAULT_SOLVING: Solving = { algorithm: null, time_limit_s: 10, seed: 0, max_moves: null };

/** 10 Gbps of packets of that size, as the API takes it where no rate is said: four digits, 14.88 Mpps of 64 bytes
 * (Octans, Sec. V). 20 bytes on the line belong to no packet. */
export function lineRate(packetBytes: number): number {
  return Number((10_000 / (8 * (packetBytes + 20))).toPrecision(4));
}

export const DEFAULT_ASK = {
  packet_bytes: 64,
  flows: 100_000,
  rate_mpps: lineRate(64),
  competitors: [],
  most_competitors: null,
  seconds: 1,
  half_width_percent: 1,
  max_samples: 10,
  seed: 0,
  fresh: false,
} as const satisfies Omit<ProfilingAsk, "nf_type" | "host">;
