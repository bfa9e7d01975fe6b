/** What the heat map can show. Scales are fixed, not fitted to the data, so that two screens can be compared. */

import type { NfView, NodeSample } from "@/api/types";
import { figure, percent } from "@/lib/format";
import { missPercent } from "./counters";
import { sequentialStep } from "./ramp";

export type LayerKey = "load" | "throughput" | "drops" | "llc" | "memory" | "link";

/** Where an NF stands, as far as a layer needs it. */
export interface Place {
  /** Its core's load, if it has the core alone. */
  readonly busy: number | null;
  /** Null where the host tells nothing of its nodes. */
  readonly node: NodeSample | null;
}

export interface Layer {
  readonly key: LayerKey;
  readonly title: string;
  readonly unit: string;
  /** End of the scale; a larger value takes the last step and its true value is told. */
  readonly max: number;
  /** The operator has set `max`: the legend says so. */
  readonly ownMax?: boolean;
  readonly digit: string;
  /** Only hosts with hardware counters tell it; others are drawn as not told. */
  readonly counted?: boolean;
  /** The NF's value, or null where its host has not told it. */
  value(nf: NfView, place: Place): number | null;
  text(value: number | null): string;
}

/** Packets lost over packets that came to this NF, in percent; 0 where none came. */
export function lossPercent(sample: { rx_mpps: number; drop_mpps: number }): number {
  const offered = sample.rx_mpps + sample.drop_mpps;
  return offered > 0 ? (100 * sample.drop_mpps) / offered : 0;
}

export const LAYERS: readonly Layer[] = [
  {
    key: "load",
    title: "Load",
    unit: "%",
    max: 100,
    digit: "1",
    value: (nf, { busy }) => nf.sample?.cpu_percent ?? busy,
    text: percent,
  },
  {
    key: "throughput",
    title: "Throughput",
    unit: "Mpps",
    max: 14,
    digit: "2",
    value: (nf) => nf.sample?.tx_mpps ?? null,
    text: figure,
  },
  {
    key: "drops",
    title: "Drops",
    unit: "% of offered",
    max: 5,
    digit: "3",
    value: (nf) => (nf.sample ? lossPercent(nf.sample) : null),
    text: percent,
  },
  {
    key: "llc",
    title: "LLC misses",
    unit: "% of references",
    max: 100,
    digit: "4",
    counted: true,
    value: (nf) => (nf.sample ? missPercent(nf.sample) : null),
    text: percent,
  },
  {
    key: "memory",
    title: "Memory",
    unit: "% of its node's peak",
    max: 100,
    digit: "5",
    counted: true,
    value: (_, { node }) => node?.memory_load_percent ?? null,
    text: percent,
  },
  {
    key: "link",
    title: "Link",
    unit: "% of its node's link",
    max: 100,
    digit: "6",
    counted: true,
    value: (_, { node }) => node?.link_load_percent ?? null,
    text: percent,
  },
];

/** A layer by its key; `max` is the end of the scale where the operator has set one. */
export function layerOf(key: LayerKey, max?: number): Layer {
  const layer = LAYERS.find((each) => each.key === key) ?? (LAYERS[0] as Layer);
  return max === undefined || max === layer.max ? layer : { ...layer, max, ownMax: true };
}

export function stepOf(layer: Layer, value: number): number {
  return sequentialStep(value, layer.max);
}
