/** Resources of an NF on its seat: what they are called, what a host can give, and what a request asks for. Pure. */

import type { ResourceRequest } from "@/api/actions";
import type { HostView, NfView, PlacedNf } from "@/api/types";
import { numberReader } from "@/lib/numbers";

type Seat = PlacedNf["seat"];

export const RESOURCES = ["llc_ways", "memory_bandwidth_percent", "cpu_share", "cpu_quota_percent"] as const;
export type Resource = (typeof RESOURCES)[number];

export const RESOURCE_NAMES: Readonly<Record<Resource, string>> = {
  llc_ways: "LLC ways",
  memory_bandwidth_percent: "Memory bandwidth",
  cpu_share: "CPU share",
  cpu_quota_percent: "CPU quota",
};

/** What an NF has of a resource that nobody gave it. */
export const WITHOUT: Readonly<Record<Resource, string>> = {
  llc_ways: "shared",
  memory_bandwidth_percent: "all",
  cpu_share: "100",
  cpu_quota_percent: "all",
};

const CAPABILITIES: Readonly<Record<Resource, string>> = {
  llc_ways: "resctrl-cat",
  memory_bandwidth_percent: "resctrl-mba",
  cpu_share: "cpu-share",
  cpu_quota_percent: "cpu-share",
};

export function resourceText(resource: Resource, value: number | null | undefined): string {
  if (value == null) return WITHOUT[resource];
  return resource.endsWith("_percent") ? `${value} %` : String(value);
}

export interface ResourceDifference {
  readonly resource: Resource;
  readonly before: string;
  readonly after: string;
}

/** Each resource in which two seats differ. */
export function resourceDifferences(source: Seat | null, target: Seat | null): ResourceDifference[] {
  if (!source || !target) return [];
  return RESOURCES.filter((resource) => (source[resource] ?? null) !== (target[resource] ?? null)).map((resource) => ({
    resource,
    before: resourceText(resource, source[resource]),
    after: resourceText(resource, target[resource]),
  }));
}

/** 'LLC ways shared → 4, CPU quota all → 40 %'. */
export function differencesText(source: Seat | null, target: Seat | null): string {
  return resourceDifferences(source, target)
    .map(({ resource, before, after }) => `${RESOURCE_NAMES[resource]} ${before} → ${after}`)
    .join(", ");
}

/** Why a host cannot give it; null where it can, or nobody knows. */
export function whyNotGiven(host: Pick<HostView, "inventory">, resource: Resource): string | null {
  if (!host.inventory) return null;
  const found = host.inventory.capabilities?.find(({ name }) => name === CAPABILITIES[resource]);
  if (!found) return "its driver does not offer it";
  return found.available ? null : found.reason;
}

export interface Limits {
  /** Ways of the cache of the NF's node; null where there is no CAT. */
  readonly ways: number | null;
  /** Ways that other NFs there have of their own. */
  readonly held: number;
  /** Steps of memory bandwidth, in percent. */
  readonly steps: readonly number[];
}

export function limitsOf(host: Pick<HostView, "inventory">, nf: NfView, nfs: readonly NfView[]): Limits {
  const node = host.inventory?.nodes.find(({ id }) => id === nf.seat.node);
  const beside = nfs.filter(({ nf_id, seat }) => nf_id !== nf.nf_id && seat.host === nf.seat.host);
  const held = beside.filter(({ seat }) => seat.node === nf.seat.node);
  return {
    ways: node?.llc?.ways ?? null,
    held: held.reduce((sum, { seat }) => sum + (seat.llc_ways ?? 0), 0),
    steps: node?.memory_bandwidth_steps_percent ?? [],
  };
}

/** What was typed, by resource; what is not in it is as it was, empty gives back. */
export type ResourceEdits = Readonly<Partial<Record<Resource, string>>>;

export function shownResource(nf: NfView, edits: ResourceEdits, resource: Resource): string {
  const present = nf.seat[resource];
  return edits[resource] ?? (present == null ? "" : String(present));
}

export interface Wanted {
  /** Null where nothing differs, or something is wrong. */
  readonly request: ResourceRequest | null;
  readonly errors: ReadonlyMap<Resource, string>;
}

/** What would be asked for: only what differs. */
export function wantedOf(nf: NfView, edits: ResourceEdits, limits: Limits): Wanted {
  const errors = new Map<Resource, string>();
  const number = numberReader((field, message) => errors.set(field as Resource, message));
  const most = limits.ways === null ? 64 : limits.ways - 1 - limits.held;
  const rules = {
    llc_ways: { least: 1, most, whole: true },
    memory_bandwidth_percent: { least: 1, most: 100, whole: true },
    cpu_share: { least: 1, most: 10_000, whole: true },
    cpu_quota_percent: { least: 1, most: 100 },
  } as const;
  const asked: Partial<Record<Resource, number | null>> = {};
  for (const resource of RESOURCES) {
    const text = shownResource(nf, edits, resource).trim();
    const before = nf.seat[resource] ?? null;
    const after = text === "" ? null : edits[resource] === undefined ? before : number(resource, text, rules[resource]);
    if (after !== before) asked[resource] = after;
  }
  const differs = Object.keys(asked).length > 0;
  return { request: differs && errors.size === 0 ? { host: nf.seat.host, ...asked } : null, errors };
}
