/** What the pictures of a plan can show of each NF: which change it is, or what is predicted of it. Pure. */

import type { Interference, PlanBody } from "@/api/types";
import { figure, percent } from "@/lib/format";
import { sequentialStep } from "@/lib/ramp";

export const PICTURE_LAYERS = [
  { key: "changes", text: "Changes" },
  { key: "utilisation", text: "Utilisation" },
  { key: "throughput", text: "Throughput" },
  { key: "loss", text: "Interference" },
] as const;
export type PictureLayer = (typeof PICTURE_LAYERS)[number]["key"];
export type Heat = Exclude<PictureLayer, "changes">;

interface Scale {
  readonly title: string;
  readonly unit: string;
  /** End of the scale; what is more takes the last step. */
  readonly max: number;
}

export const SCALES: Record<Heat, Scale> = {
  utilisation: { title: "Utilisation", unit: "% of what the NF can carry there", max: 100 },
  // As on the map of the fleet.
  throughput: { title: "Throughput", unit: "Mpps of its chain", max: 14 },
  loss: { title: "Interference", unit: "% lost to others beside it", max: 50 },
};

/** What is predicted of one NF under a placement; null where the models say nothing. */
export interface Foreseen {
  readonly utilisation: number | null;
  readonly throughput: number | null;
  readonly loss: number | null;
}

/** By NF. One that is not in it has no prediction, and no colour. */
export type Foresight = ReadonlyMap<string, Foreseen>;

interface Carries {
  readonly nf_id: string;
  readonly mpps: number;
  readonly ideal_mpps: number;
}

/** Under the plan, by the predictions that it holds. */
export function foreseenAfter({ predictions }: Pick<PlanBody, "predictions">): Foresight {
  return new Map(
    predictions.flatMap(({ nfs = [], throughput_mpps }) =>
      nfs.map((nf) => [nf.nf_id, foreseen(nf, throughput_mpps)] as const),
    ),
  );
}

/** As it runs now: what each NF could carry by the same models, and what the plan says of its chain before it. */
export function foreseenBefore(
  { predictions }: Pick<PlanBody, "predictions">,
  interference: Pick<Interference, "victims"> | undefined,
): Foresight {
  const now = new Map(predictions.map(({ chain, before_mpps }) => [chain, before_mpps ?? null]));
  return new Map(interference?.victims.map((nf) => [nf.nf_id, foreseen(nf, now.get(nf.chain) ?? null)] as const) ?? []);
}

/** An NF that receives what its chain carries uses that share of what it could carry where it stands. */
function foreseen({ mpps, ideal_mpps }: Carries, throughput: number | null): Foreseen {
  return {
    utilisation: throughput === null || mpps <= 0 ? null : (100 * throughput) / mpps,
    throughput,
    loss: ideal_mpps <= 0 ? null : 100 * (1 - mpps / ideal_mpps),
  };
}

export interface Painted {
  /** 0 to 8. */
  readonly step: number;
  readonly text: string;
}

export function painted(heat: Heat, found: Foreseen | undefined): Painted | null {
  const value = found?.[heat] ?? null;
  if (value === null) return null;
  const text = heat === "throughput" ? figure(value) : `${percent(value)} %`;
  return { step: sequentialStep(Math.max(0, value), SCALES[heat].max), text };
}

/** Why nothing is predicted of any of these NFs; null where something is, or none stands there. */
export function whyNothing(
  placed: readonly { nf_id: string }[],
  foresight: Foresight,
  note: string | null,
): string | null {
  if (placed.length === 0 || placed.some(({ nf_id }) => foresight.has(nf_id))) return null;
  return note ?? "no model holds here";
}
