/** What must hold after every fault: each effect once, nothing lost, nobody left over. */
import { expect } from "@playwright/test";
import { type ChainView, call, type NfView } from "./api.ts";
import { installation } from "./installation.ts";
import { affinity, alive } from "./processes.ts";
import { query } from "./runner.ts";

export interface HostView {
  status: string;
  desired_generation: number;
  applied_generation: number;
}

export async function host(): Promise<HostView> {
  return (await call<HostView>("GET", `/hosts/${installation().hostId}`)).body;
}

/** The host runs exactly `chains`, at exactly `generation`, and every NF is one process on its own core. */
export async function hostRuns(chains: string[], generation: number): Promise<void> {
  await expect(async () => {
    const { status, desired_generation, applied_generation } = await host();
    expect({ status, desired_generation, applied_generation }).toEqual({
      status: "up",
      desired_generation: generation,
      applied_generation: generation,
    });
    const placed = (await call<{ items: NfView[] }>("GET", "/nfs?limit=200")).body.items;
    const found = await query();
    expect(found.chains.map(({ chain }) => chain).sort()).toEqual([...chains].sort());
    expect(seats(found.nfs.map(({ nf, core }) => [nf, core]))).toEqual(
      seats(placed.map(({ nf_id, seat }) => [nf_id, seat.core])),
    );
    for (const { pid, state, core } of found.nfs) {
      expect([state, alive(pid), affinity(pid)]).toEqual(["running", true, [String(core)]]);
    }
  }).toPass({ timeout: 60_000, intervals: [200] });
}

/** Packets come out of the chain's end now. */
export async function packetsFlow(chain: string): Promise<void> {
  const delivered = async () => (await query()).chains.find((one) => one.chain === chain)?.delivered ?? 0;
  const before = await delivered();
  await expect.poll(delivered, { timeout: 60_000, intervals: [100] }).toBeGreaterThan(before);
}

export async function chainIs(name: string, state: string): Promise<void> {
  await expect
    .poll(async () => (await call<ChainView>("GET", `/chains/${name}`)).body.state, { timeout: 60_000 })
    .toBe(state);
}

function seats(pairs: [string, number][]): string[] {
  return pairs.map(([nf, core]) => `${nf} on ${core}`).sort();
}
