/** CoCo's law on a host: two cores that NFs share, what stands on them, the rate that fills one, and what is measured. */
import { expect } from "@playwright/test";
import { call } from "./api.ts";
import { sextant } from "./command.ts";

export interface CocoElement {
  nf_id: string;
  use: number | null;
  needs: number | null;
}

export interface CocoHost {
  reason: string;
  full: number;
  cores: { core: number; needs: number | null; elements: CocoElement[] }[];
  push: { core: number; element: string; moves: Record<string, number>; lanes?: { lanes: number } | null } | null;
  recommendation_id: number | null;
}

interface Inventory {
  inventory: { cores: { id: number; node: number; reserved_for: string | null }[] };
}

export async function cocoHost(host: string): Promise<CocoHost> {
  return (await call<CocoHost>("GET", `/control/coco/hosts/${host}`)).body;
}

/** Two of one node are left to NFs, with so many slots each; which, and those that are reserved for it. */
export async function shareTwoCores(
  host: string,
  slots: number,
): Promise<{ cores: [first: number, second: number]; reserved: number[] }> {
  const { inventory } = (await call<Inventory>("GET", `/hosts/${host}`)).body;
  const free = inventory.cores.filter(({ reserved_for }) => reserved_for === null);
  const [first, second] = free.filter(({ node }) => node === free[0]?.node);
  if (!first || !second) throw new Error(`${host} has no two free cores on a node`);
  const taken = free.filter((core) => core !== first && core !== second).map(({ id }) => id);
  for (const args of [
    ["hosts", "reserve", host, "--cores", taken.join(","), "--reason", "story"],
    ["hosts", "slots", host, String(slots), "--reason", "small NFs share"],
  ]) {
    const done = await sextant(args);
    expect(done.status, done.stderr).toBe(0);
  }
  return { cores: [first.id, second.id], reserved: taken };
}

/** As an operator says; nothing where it stands there already. */
export async function stand(nf: string, core: number, host: string): Promise<void> {
  if ((await coreOf(nf, host)) === core) return;
  const done = await sextant(["migrate", nf, "--core", String(core), "--apply", "--wait"]);
  expect(done.status, `${done.stderr}\n${done.stdout}`).toBe(0);
}

/** Seconds in a row that show the same, within so much of it: one into which a change of rate falls shows neither. */
const [STEADY_SECONDS, SAME] = [3, 0.03];
/** After so many the first two are over and past, and other work on the machine keeps them uneven: their median counts. */
const UNEVEN_SECONDS = 10;

/** Mpps at which the NFs of a core would use `share` of it, by what they use at `mpps`, once that is settled. */
export async function rateThatUses(host: string, core: number, share: number, mpps: number): Promise<number> {
  const seen: number[] = [];
  await expect(async () => {
    const found = (await cocoHost(host)).cores.find((one) => one.core === core);
    const uses = (found?.elements ?? []).map(({ use }) => use);
    expect(uses.length).toBeGreaterThan(0);
    expect(uses).not.toContain(null);
    const used = uses.reduce<number>((sum, use) => sum + (use ?? 0), 0);
    expect(used).toBeGreaterThan(0.02);
    seen.push(used);
    const last = seen.slice(-STEADY_SECONDS);
    expect(last).toHaveLength(STEADY_SECONDS);
    if (seen.length < UNEVEN_SECONDS) expect(Math.max(...last)).toBeLessThan((1 + SAME) * Math.min(...last));
  }).toPass({ timeout: 60_000, intervals: [1_050] });
  const settled = seen.length < UNEVEN_SECONDS ? seen.slice(-STEADY_SECONDS) : seen.slice(2);
  const middle = settled.sort((one, other) => one - other)[Math.floor(settled.length / 2)] ?? 0;
  return Number(((mpps * share) / middle).toPrecision(3));
}

export type Second = [at: number, offered: number, delivered: number, dropped: number, p50: number | null];

/** A chain's last three seconds: Mpps and microseconds. */
export async function lately(chain: string): Promise<Second[]> {
  const path = `/telemetry/chains/${chain}?seconds=10`;
  const { samples } = (await call<{ samples: Second[] }>("GET", path)).body;
  expect(samples.length).toBeGreaterThan(2);
  return samples.slice(-3);
}

/** The core on which an NF stands. */
export async function coreOf(nf: string, host: string): Promise<number | undefined> {
  const { cores } = await cocoHost(host);
  return cores.find(({ elements }) => elements.some(({ nf_id }) => nf_id === nf))?.core;
}
