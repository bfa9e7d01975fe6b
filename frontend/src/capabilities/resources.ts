/** Resources of an NF on its seat: what they are called, what a host can give, and what a request asks for. Pure. */

import type { ResourceRequest } from "@/api/actions";
import type { ChainView, HostView, NfView, PlacedNf } from "@/api/types";
import { numberReader } from "@/lib/numbers";
import { allocationsOf, givenWays } from "./allocations";

type Seat = PlacedNf["seat"];

export const RESOURCES = ["llc_ways", "memory_bandwidth_percent", "cpu_share", "cpu_quota_percent"] as const;
export type Resource = (typeof RESOURCES)[number];

export const RESOURCE_NAMES: Readonly<Record<Resource, string>> = {
  llc_ways: "LLC ways",
  memory_bandwidth_percent: "Memory bandwidth",
  cpu_share: "CPU share",
  cpu_quota_percent: "CPU quota",
};

/** What the NFs of a chain can have together. */
export const CHAIN_RESOURCES = ["llc_ways", "memory_bandwidth_percent"] as const satisfies readonly Resource[];

/** All that a seat says of resources: those of the NF, and those that it has with all others of its chain. */
const OF_SEAT = [
  ...RESOURCES.map((field) => ({ field, resource: field, name: RESOURCE_NAMES[field] })),
  ...CHAIN_RESOURCES.map((resource) => ({
    field: `chain_${resource}` as const,
    resource,
    name: `${RESOURCE_NAMES[resource]} of its chain`,
  })),
] as const;

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
  readonly field: string;
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

/** Each resource in which two seats differ. */
export function resourceDifferences(source: Seat | null, target: Seat | null): ResourceDifference[] {
  if (!source || !target) return [];
  return OF_SEAT.filter(({ field }) => (source[field] ?? null) !== (target[field] ?? null)).map(
    ({ field, resource, name }) => ({
      field,
      name,
      before: resourceText(resource, source[field]),
      after: resourceText(resource, target[field]),
    }),
  );
}

/** 'LLC ways shared → 4, CPU quota all → 40 %'. */
export function differencesText(source: Seat | null, target: Seat | null): string {
  return resourceDifferences(source, target)
    .map(({ name, before, after }) => `${name} ${before} → ${after}`)
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
  /** Ways that others there, NFs or chains, have of their own. */
  readonly held: number;
  /** Steps of memory bandwidth, in percent. */
  readonly steps: readonly number[];
}

export function limitsOf(host: LimitsHost, nf: NfView, nfs: readonly NfView[]): Limits {
  return limitsOn(host, nf.seat.node, nfs, nf.nf_id);
}

/** Of the node of its NFs. */
export function limitsOfChain(host: LimitsHost, chain: ChainView, nfs: readonly NfView[]): Limits {
  return limitsOn(host, chain.placement[0]?.seat.node ?? 0, nfs, chain.spec.name);
}

type LimitsHost = Pick<HostView, "host_id" | "inventory">;

function limitsOn(host: LimitsHost, id: number, nfs: readonly NfView[], owner: string): Limits {
  const node = host.inventory?.nodes.find((one) => one.id === id);
  return {
    ways: node?.llc?.ways ?? null,
    held: givenWays(allocationsOf(nfs, host.host_id, id).filter((one) => one.owner !== owner)),
    steps: node?.memory_bandwidth_steps_percent ?? [],
  };
}

/** What an NF, or a chain, has of each resource. */
export type Present = Readonly<Partial<Record<Resource, number | null>>>;

export function togetherOf({ placement }: ChainView): Present & { readonly host: string | null } {
  const seat = placement[0]?.seat;
  return {
    host: seat?.host ?? null,
    llc_ways: seat?.chain_llc_ways ?? null,
    memory_bandwidth_percent: seat?.chain_memory_bandwidth_percent ?? null,
  };
}

/** What was typed, by resource; what is not in it is as it was, empty gives back. */
export type ResourceEdits = Readonly<Partial<Record<Resource, string>>>;

export function shownResource(nf: NfView, edits: ResourceEdits, resource: Resource): string {
  return shownOf(nf.seat, edits, resource);
}

export function shownOf(present: Present, edits: ResourceEdits, resource: Resource): string {
  const value = present[resource];
  return edits[resource] ?? (value == null ? "" : String(value));
}

export interface Wanted {
  /** Null where nothing differs, or something is wrong. */
  readonly request: ResourceRequest | null;
  readonly errors: ReadonlyMap<Resource, string>;
}

/** What would be asked for: only what differs. */
export function wantedOf(nf: NfView, edits: ResourceEdits, limits: Limits): Wanted {
  return wantedFrom(nf.seat, RESOURCES, edits, limits);
}

/** The same of any of its resources; `present`: what there is now, and where. */
export function wantedFrom(
  present: Present & { readonly host: string | null },
  resources: readonly Resource[],
  edits: ResourceEdits,
  limits: Limits,
): Wanted {
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
  for (const resource of resources) {
    const text = shownOf(present, edits, resource).trim();
    const before = present[resource] ?? null;
    const after = text === "" ? null : edits[resource] === undefined ? before : number(resource, text, rules[resource]);
    if (after !== before) asked[resource] = after;
  }
  const differs = Object.keys(asked).length > 0;
  return { request: differs && errors.size === 0 ? { host: present.host, ...asked } : null, errors };
}

export function resourceHint(resource: Resource, { ways, held, steps }: Limits): string | undefined {
  switch (resource) {
    case "llc_ways":
      if (ways === null) return "of its own, which nobody else fills";
      return `at most ${Math.max(0, ways - 1 - held)}: ${ways} ways, one stays shared${held > 0 ? `, ${held} taken` : ""}`;
    case "memory_bandwidth_percent":
      return steps.length > 0 ? `steps: ${steps.join(", ")}` : undefined;
    case "cpu_share":
      return "weight against others on its core, 1 to 10000";
    case "cpu_quota_percent":
      return "the most of its core, 1 to 100";
  }
}
