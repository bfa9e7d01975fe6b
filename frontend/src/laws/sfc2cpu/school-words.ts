/** Networks in words, and a training as a scenario file. Pure. */

import type { NetworkPromotion } from "@/api/types";
import { count, DASH, figure } from "@/lib/format";

/** As `GATE_C` of the API's types has it; docs/sfc2cpu.md has the table. */
export const GATE_C =
  "Gate C: networks of the short training served fewer packets than the calibrated assigner on the digital twin, 5.2 % for 4 cores, 3.1 to 4.2 % for 8 and 2.8 to 3.9 % for 12, so no network is a default.";

export type Length = "short" | "long" | "steps";

/** Of a form: text, as it was typed. */
export interface Training {
  readonly cores: string;
  readonly seed: string;
  readonly length: Length;
  readonly steps: string;
  /** A host, by whose fitted costs games go; null: by the ideal model; "": not chosen yet. */
  readonly costOf: string | null;
}

export interface ReadTraining {
  readonly toml: string | null;
  readonly cores: number;
  readonly seed: number;
  readonly steps: number | null;
  readonly errors: { cores?: string; seed?: string; steps?: string; costOf?: string };
}

const whole = (text: string): number => (/^\d{1,10}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN);

/** The bounds are those of the scenario. */
export function readTraining({ cores, seed, length, steps, costOf }: Training): ReadTraining {
  const [of, dice, long] = [whole(cores), whole(seed), whole(steps)];
  const errors: ReadTraining["errors"] = {};
  if (!(of >= 2 && of <= 32)) errors.cores = "A whole number from 2 to 32.";
  if (!(dice < 2 ** 31)) errors.seed = "A whole number from 0 to 2147483647.";
  if (length === "steps" && !(long >= 1_000 && long <= 2_000_000)) errors.steps = "From 1,000 to 2,000,000.";
  if (costOf === "") errors.costOf = "Choose a host.";
  const own = length === "steps" ? long : null;
  const lines = [
    `name = "school-${of}-cores"`,
    `summary = "Train a network that assigns small NFs to ${of} cores."`,
    'kind = "school"',
    `cores = ${of}`,
    `seed = ${dice}`,
    `length = "${length === "long" ? "long" : "short"}"`,
    ...(own === null ? [] : [`steps = ${own}`]),
    ...(costOf === null ? [] : ["[cost]", `host = "${costOf}"`]),
  ];
  const toml = Object.keys(errors).length > 0 ? null : `${lines.join("\n")}\n`;
  return { toml, cores: of, seed: dice, steps: own, errors };
}

/** "664f30a36add" */
export function shortOf(weights: string): string {
  return weights.replace("sha256:", "").slice(0, 12);
}

/** "93.9 %"; a dash where nothing is known. */
export function servedText(part: number | null | undefined): string {
  return part == null ? DASH : `${figure(100 * part)} %`;
}

/** "edge-1: 99.9 % of packets, round robin 93.1 %"; of a host in whose last span it was worse, how often in a row. */
export function watchedText({ hosts }: Pick<NetworkPromotion, "hosts">): string {
  const names = Object.keys(hosts).toSorted();
  if (names.length === 0) return "has assigned no host’s cores yet";
  return names.map((name) => hostText(name, hosts[name])).join("; ");
}

function hostText(name: string, host: NetworkPromotion["hosts"][string] | undefined): string {
  if (!host || host.served == null) return `${name}: not judged yet`;
  const worse = host.worse ? `, worse in ${count(host.worse, "span")} of ten seconds` : "";
  return `${name}: ${servedText(host.served)} of packets, round robin ${servedText(host.round_robin)}${worse}`;
}

/** Of each number of cores the newest. */
export function newestOfEach(promotions: readonly NetworkPromotion[]): NetworkPromotion[] {
  const found = new Map<number, NetworkPromotion>();
  for (const one of promotions) {
    const known = found.get(one.cores);
    if (!known || one.id > known.id) found.set(one.cores, one);
  }
  return [...found.values()].toSorted((a, b) => a.cores - b.cores);
}
