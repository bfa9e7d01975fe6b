/** What follows from a chain's traffic: mean size, Gbps, the rate at its peak. By the rules of the domain. Pure. */

import type { ChainSpec } from "@/api/types";

export type Traffic = ChainSpec["traffic"];
export type Sizes = NonNullable<Traffic["sizes"]>;
export type Arrivals = NonNullable<Traffic["arrivals"]>;

/** 100 GbE of 64-byte packets, Mpps. */
export const MAX_RATE = 148.8;
/** Of whose packets it is. */
export interface HeaderKind {
  readonly protocol: "udp" | "tcp";
  readonly version: 4 | 6;
}

/** Ethernet, IPv4 or IPv6, and UDP or TCP. */
export function headerBytes({ protocol, version }: HeaderKind): number {
  return 14 + (version === 6 ? 40 : 20) + (protocol === "udp" ? 8 : 20);
}
/** [bytes, weight] */
export const IMIX: readonly (readonly [number, number])[] = [
  [64, 7],
  [594, 4],
  [1518, 1],
];

export function sharesOf(sizes: Sizes): readonly (readonly [number, number])[] {
  if (sizes.kind === "fixed") return [[sizes.bytes, 1]];
  return sizes.kind === "imix" ? IMIX : sizes.entries.map(({ bytes, weight }) => [bytes, weight]);
}

/** The mean over packets, frames without FCS. */
export function meanBytes(sizes: Sizes): number {
  const shares = sharesOf(sizes);
  const sum = shares.reduce((total, [bytes, weight]) => total + bytes * weight, 0);
  return sum / shares.reduce((total, [, weight]) => total + weight, 0);
}

/** Halves to the even neighbour, as the backend rounds: it refuses a `packet_bytes` that is not the rounded mean. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  if (value - floor !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

/** [seconds, rate over the mean rate] of one round; null where there are no steps. */
export function roundOf(arrivals: Arrivals): readonly (readonly [number, number])[] | null {
  if (arrivals.kind === "on-off") {
    const { on_ms: on, off_ms: off } = arrivals;
    return [
      [on / 1000, (on + off) / on],
      [off / 1000, 0],
    ];
  }
  if (arrivals.kind !== "trace") return null;
  const seconds = arrivals.steps.reduce((total, step) => total + step.seconds, 0);
  const mean = arrivals.steps.reduce((total, step) => total + step.seconds * step.factor, 0) / seconds;
  return arrivals.steps.map((step) => [step.seconds, step.factor / mean]);
}

/** The rate while most is sent, over the mean rate. */
export function peakFactor(arrivals: Arrivals | null | undefined): number {
  const steps = arrivals ? roundOf(arrivals) : null;
  return steps ? Math.max(...steps.map(([, factor]) => factor)) : 1;
}

/** Mean size and Gbps of frames without FCS, and Mpps at the peak. Of a capture they are what is planned with. */
export function offered(traffic: Traffic): { bytes: number; gbps: number; peakMpps: number } {
  const bytes = traffic.sizes ? meanBytes(traffic.sizes) : traffic.packet_bytes;
  return {
    bytes,
    gbps: (traffic.rate_mpps * bytes * 8) / 1000,
    peakMpps: traffic.rate_mpps * peakFactor(traffic.arrivals),
  };
}
