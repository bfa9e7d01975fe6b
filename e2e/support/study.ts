/** Snapshot files of a larger fleet than a test has: this installation's own, with hosts on which Octans' model holds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "@playwright/test";
import { call, chain } from "./api.ts";
import { ROOT } from "./installation.ts";

interface Content {
  host_id: string;
  chains: object[];
}

interface Host {
  inventory: { host_id: string; nodes: object[]; cores: object[] };
  generation: number;
  digest: string;
  content: Content;
}

export interface Snapshot {
  taken_at: string;
  hosts: Host[];
  chains: { name: string }[];
  nf_types: object[];
  models: object[];
}

export interface Comparison {
  id: number;
  plans: { plan_id: number; algorithm: string; state: string; status: string | null; score: number | null }[];
}

const NODES = 2;
const CORES_A_NODE = 6;
const CHAINS = [
  ["router", "firewall", "basic-monitor"],
  ["firewall", "router"],
  ["simple-forward", "basic-monitor"],
  ["router", "basic-monitor"],
];

/** Two hosts of two nodes with six exclusive cores each, four chains, nothing placed. */
export async function studyFile(): Promise<Snapshot> {
  const { body } = await call<Snapshot>("GET", "/fleet/snapshot");
  const [own] = body.hosts;
  if (!own) throw new Error("the installation has no host");
  const specs = await Promise.all(CHAINS.map((nfs, index) => specOf(body, `study-${index}`, nfs)));
  return { ...body, hosts: ["twin-1", "twin-2"].map((id) => larger(own, id)), chains: specs };
}

export const TWELVE_HOSTS = join(ROOT, "examples/fleets/twelve-hosts.json");

/** Most chains run, some hosts badly placed: what a search gains by moving is much. */
export function twelveHosts(): Snapshot {
  return JSON.parse(readFileSync(TWELVE_HOSTS, "utf8"));
}

export async function compareOn(snapshot: Snapshot, algorithms: string[]): Promise<Comparison> {
  const body = { intent: { kind: "replace" }, algorithms, time_limit_s: 5, label: "twins.json", snapshot };
  const answer = await call<Comparison>("POST", "/comparisons", body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(202);
  return answer.body;
}

/** The comparison when all its plans are made. */
export async function comparedOn({ id }: Comparison): Promise<Comparison> {
  let comparison: Comparison | undefined;
  await expect(async () => {
    comparison = (await call<Comparison>("GET", `/comparisons/${id}`)).body;
    expect(comparison.plans.filter(({ state }) => state === "planning")).toEqual([]);
  }).toPass({ timeout: 60_000, intervals: [200] });
  return comparison as Comparison;
}

function larger(own: Host, id: string): Host {
  const nodes = Array.from({ length: NODES }, (_, node) => ({ ...own.inventory.nodes[0], id: node, socket: node }));
  const cores = Array.from({ length: NODES * CORES_A_NODE }, (_, core) => ({
    ...own.inventory.cores[0],
    id: core,
    physical_core: core,
    node: Math.floor(core / CORES_A_NODE),
    socket: Math.floor(core / CORES_A_NODE),
    siblings: [],
    slots: 1,
    last_choice: false,
    reserved_for: null,
  }));
  const inventory = { ...own.inventory, host_id: id, hostname: id, nodes, cores };
  return { ...own, inventory, content: { host_id: id, chains: [] } };
}

/** A chain as the console stores it, with every default: submitted, read and taken away again. */
async function specOf(body: Snapshot, name: string, nfs: string[]): Promise<{ name: string }> {
  const known = body.chains.find((spec) => spec.name === name);
  if (known) return known;
  await call("POST", "/chains", { ...chain(name, nfs), traffic: { rate_mpps: 20, packet_bytes: 64 } });
  const { body: view, etag } = await call<{ spec: { name: string } }>("GET", `/chains/${name}`);
  await call("DELETE", `/chains/${name}`, undefined, etag ?? undefined);
  return view.spec;
}
