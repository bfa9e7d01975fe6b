/** NUMASFP's law on a simulated host: levels measured and promoted, one core left on each node, what the law says. */
import { expect } from "@playwright/test";
import { call } from "./api.ts";
import { sextant } from "./command.ts";

export interface LawChain {
  chain: string;
  node: number | null;
  local: boolean | null;
  rate_gbps: number | null;
  carried_gbps: number | null;
  bounds: object | null;
  control: string | null;
  violations: number;
}

export interface LawHost {
  stopped: string | null;
  reason: string;
  chains: LawChain[];
  moves: { chain: string }[];
  recommendation_id: number | null;
  table: { version: number } | null;
}

interface Inventory {
  inventory: { cores: { id: number; node: number; reserved_for: string | null }[] };
}

/** What a level is asked for, Gbps on the wire: few, since each is measured on both kinds of node. */
const RATES_GBPS = [1, 3, 4, 5, 6];

export async function lawHost(host: string): Promise<LawHost> {
  return (await call<LawHost>("GET", `/control/numasfp/hosts/${host}`)).body;
}

/** By name; fails where the law does not know it. */
export async function lawChain(host: string, name: string): Promise<LawChain> {
  const { chains } = await lawHost(host);
  const found = chains.find(({ chain }) => chain === name);
  expect(found, `${name} among ${chains.map(({ chain }) => chain).join(", ")}`).toBeDefined();
  return found as LawChain;
}

/** Measured on the host by a job; the version that came of it is in use afterwards. */
export async function promoteLevels(host: string, nfType: string, packetBytes: number): Promise<void> {
  const asked = { nf_type: nfType, host, packet_bytes: packetBytes, levels: { rates_gbps: RATES_GBPS } };
  const job = await call<{ id: number }>("POST", "/profiling/jobs", asked);
  expect(job.status, JSON.stringify(job.body)).toBeLessThan(300);
  await expect(async () => {
    const { state } = (await call<{ state: string }>("GET", `/profiling/jobs/${job.body.id}`)).body;
    expect(state).toBe("COMPLETED");
  }).toPass({ timeout: 400_000, intervals: [500] });
  const found = await call<{ items: { id: number; job_id: number }[] }>("GET", `/levels?nf_type=${nfType}`);
  const version = found.body.items.find(({ job_id }) => job_id === job.body.id);
  expect(version, "levels of the job").toBeDefined();
  const promoted = await call("POST", `/levels/${version?.id}/promotion`);
  expect(promoted.status, JSON.stringify(promoted.body)).toBe(200);
}

/** Of each node one core is left to NFs: who comes to a node has to exchange places. */
export async function leaveOneCoreANode(host: string): Promise<void> {
  const { inventory } = (await call<Inventory>("GET", `/hosts/${host}`)).body;
  const free = inventory.cores.filter(({ reserved_for }) => reserved_for === null);
  const nodes = new Set(free.map(({ node }) => node));
  const kept = new Set([...nodes].map((node) => free.find((core) => core.node === node)?.id));
  const taken = free.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  const done = await sextant(["hosts", "reserve", host, "--cores", taken.join(","), "--reason", "story"]);
  expect(done.status, done.stderr).toBe(0);
}

/** As an operator does, while it runs. */
export async function offer(chain: string, mpps: number): Promise<void> {
  const done = await sextant(["chains", "adjust", chain, "--rate-mpps", String(mpps), "--wait"]);
  expect(done.status, done.stderr).toBe(0);
}
