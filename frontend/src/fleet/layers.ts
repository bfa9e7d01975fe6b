/** What the heat map can show. Scales are fixed, not fitted to the data, so that two screens can be compared. */

import type { ChainControl, NfView, NodeSample, StandingPrediction } from "@/api/types";
import { partOf } from "@/capabilities/allocations";
import { missPercent } from "@/interference/counters";
import { differenceText } from "@/lib/difference";
import { DASH, figure, percent } from "@/lib/format";
import { divergingStep, sequentialStep } from "@/lib/ramp";
import { differencePercent } from "./predictions";
import { utilisationOf } from "./utilisation";

export type LayerKey =
  | "utilisation"
  | "headroom"
  | "cpu"
  | "throughput"
  | "drops"
  | "llc"
  | "memory"
  | "link"
  | "ways"
  | "bandwidth"
  | "queue"
  | "predicted"
  | "difference";

/** What a map shows unless another layer is chosen: where there is room, and where it is tight. */
export const DEFAULT_LAYER: LayerKey = "utilisation";

/** `sequential`: more is further from the ground. `diverging`: orange below the middle, blue above. */
export type RampKey = "sequential" | "diverging";

/** Where an NF stands, as far as a layer needs it. */
export interface Place {
  /** How busy its core is, if it has the core alone. */
  readonly busy: number | null;
  /** Null where the host reports nothing of its nodes. */
  readonly node: NodeSample | null;
  /** What a law on its host's agent gave its chain; null where none does. */
  readonly control: ChainControl | null;
  /** What an applied plan predicts of its chain as it stands; null where nothing does, or nobody asked. */
  readonly standing: StandingPrediction | null;
  /** Packets that waited for the link by which its packets go on; null where they go on to no other host. */
  readonly queue: number | null;
  /** The difference of its chain belongs to this NF. */
  readonly blamed: boolean;
}

export interface Layer {
  readonly key: LayerKey;
  readonly title: string;
  readonly unit: string;
  readonly ramp: RampKey;
  /** End of the scale; a larger value takes the last step, its text is exact. A diverging scale begins at -max. */
  readonly max: number;
  /** The operator has set `max`: the legend says so. */
  readonly ownMax?: boolean;
  /** The keys that choose it. */
  readonly keys: readonly string[];
  /** Who alone can report it: hosts whose drivers count the time of packets, hosts with hardware counters, orders that
   * give it to some NFs and leave the rest to all others, plans that were applied, or packets that measure themselves.
   * Others are drawn as missing. */
  readonly from?: "drivers" | "counters" | "orders" | "plans" | "packets";
  /** The NF's value, or null where its host has not reported it. */
  value(nf: NfView, place: Place): number | null;
  /** What stands before its text: of a bound, which. */
  sign?(nf: NfView): string;
  /** Of the node, not of its cores: drawn beside them, and no core has it. */
  readonly ofNode?: (node: NodeSample) => number | null;
  text(value: number | null): string;
}

/** A cell's figure. */
export function cellText(layer: Layer, nf: NfView, value: number | null): string {
  return `${value === null ? "" : (layer.sign?.(nf) ?? "")}${layer.text(value)}`;
}

/** Packets lost over packets that came to this NF, in percent; 0 where none came. */
export function lossPercent(sample: { rx_mpps: number; drop_mpps: number }): number {
  const offered = sample.rx_mpps + sample.drop_mpps;
  return offered > 0 ? (100 * sample.drop_mpps) / offered : 0;
}

export const LAYERS: readonly Layer[] = [
  {
    key: "utilisation",
    title: "Utilisation",
    unit: "% of core time",
    ramp: "sequential",
    max: 100,
    keys: ["1", "u"],
    from: "drivers",
    value: (nf) => utilisationOf(nf.sample)?.value ?? null,
    sign: (nf) => utilisationOf(nf.sample)?.sign ?? "",
    text: percent,
  },
  {
    key: "headroom",
    title: "Headroom",
    unit: "Mpps more",
    ramp: "sequential",
    max: 14,
    keys: ["0", "h"],
    from: "drivers",
    value: (nf) => nf.sample?.headroom_mpps ?? null,
    text: (value) => figure(value !== null && value < 0.001 ? 0 : value),
  },
  {
    key: "cpu",
    title: "CPU",
    unit: "%, polling included",
    ramp: "sequential",
    max: 100,
    keys: ["9", "c"],
    value: (nf, { busy }) => (nf.sample ? (nf.sample.cpu_percent ?? null) : busy),
    text: percent,
  },
  {
    key: "throughput",
    title: "Throughput",
    unit: "Mpps",
    ramp: "sequential",
    max: 14,
    keys: ["2", "m"],
    value: (nf) => nf.sample?.tx_mpps ?? null,
    text: figure,
  },
  {
    key: "drops",
    title: "Drops",
    unit: "% of offered",
    ramp: "sequential",
    max: 5,
    keys: ["3"],
    value: (nf) => (nf.sample ? lossPercent(nf.sample) : null),
    text: percent,
  },
  {
    key: "llc",
    title: "LLC misses",
    unit: "% of references",
    ramp: "sequential",
    max: 100,
    keys: ["4"],
    from: "counters",
    value: (nf) => (nf.sample ? missPercent(nf.sample) : null),
    text: percent,
  },
  {
    key: "memory",
    title: "Memory",
    unit: "% of its node's peak",
    ramp: "sequential",
    max: 100,
    keys: ["5"],
    from: "counters",
    value: () => null,
    ofNode: (node) => node.memory_load_percent ?? null,
    text: percent,
  },
  {
    key: "link",
    title: "Link",
    unit: "% of its node's link",
    ramp: "sequential",
    max: 100,
    keys: ["6"],
    from: "counters",
    value: () => null,
    ofNode: (node) => node.link_load_percent ?? null,
    text: percent,
  },
  {
    key: "ways",
    title: "Ways",
    unit: "LLC ways of its own",
    ramp: "sequential",
    max: 11,
    keys: ["w"],
    from: "orders",
    value: (nf, { control }) => partOf(nf, control).ways,
    text: (value) => (value === null ? DASH : String(value)),
  },
  {
    key: "bandwidth",
    title: "Bandwidth",
    unit: "% of memory bandwidth, its limit",
    ramp: "sequential",
    max: 100,
    keys: ["b"],
    from: "orders",
    value: (nf, { control }) => partOf(nf, control).percent,
    text: percent,
  },
  {
    key: "queue",
    title: "Link queue",
    unit: "packets waiting for the way to the next host",
    ramp: "sequential",
    max: 100,
    keys: ["q"],
    from: "packets",
    value: (_, { queue }) => queue,
    text: (value) => (value === null ? DASH : String(value)),
  },
  {
    key: "predicted",
    title: "Predicted throughput",
    unit: "Mpps of its chain",
    ramp: "sequential",
    max: 14,
    keys: ["7", "o"],
    from: "plans",
    value: (_, { standing }) => standing?.predicted_mpps ?? null,
    text: figure,
  },
  {
    key: "difference",
    title: "Measured − predicted",
    unit: "% of predicted",
    ramp: "diverging",
    max: 20,
    keys: ["8", "d"],
    from: "plans",
    value: (_, { standing, blamed }) => (blamed ? differencePercent(standing) : null),
    text: differenceText,
  },
];

/** A layer by its key; `max` is the end of the scale where the operator has set one. */
export function layerOf(key: LayerKey, max?: number): Layer {
  const layer = LAYERS.find((each) => each.key === key) ?? (LAYERS[0] as Layer);
  return max === undefined || max === layer.max ? layer : { ...layer, max, ownMax: true };
}

export function stepOf(layer: Layer, value: number): number {
  return layer.ramp === "diverging" ? divergingStep(value, layer.max) : sequentialStep(value, layer.max);
}

/** The layer that a URL names; undefined for the default one, which no URL names. `load` is what CPU was called once. */
export function layerFrom(raw: unknown): LayerKey | undefined {
  const key = raw === "load" ? "cpu" : LAYERS.find((each) => each.key === raw)?.key;
  return key === DEFAULT_LAYER ? undefined : key;
}
