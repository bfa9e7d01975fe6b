/** What of a host matters to its picture's geometry: nodes, physical cores with their threads, slots. Pure. */

import type { Core, HostView } from "@/api/types";
import { crowdedCores, type Standing, slotsOf } from "@/capabilities/cores";

export interface Thread {
  /** The kernel's CPU number. */
  readonly core: number;
  readonly slots: number;
}

/** One physical core: its logical cores stand together, because a busy sibling slows the other. */
export interface Block {
  readonly threads: readonly Thread[];
}

export interface NodeBlocks {
  readonly id: number;
  readonly blocks: readonly Block[];
  /** Some core holds more than one NF: its slots need words above them. */
  readonly shared: boolean;
  readonly gauges: NodeGauges;
}

/** What is drawn below a node beside its core time and the line of its last-level cache. */
export interface NodeGauges {
  /** Chains that have ways of the last-level cache of their own here, or lines in it. */
  readonly llcRows: number;
  /** The ways are distinguished: they have numbers. */
  readonly llcNumbers: boolean;
  readonly memory: boolean;
  readonly link: boolean;
}

export function nodeBlocks(
  host: HostView,
  gaugesOf: (node: number) => NodeGauges,
  nfs: Iterable<Standing> = [],
): NodeBlocks[] {
  const { nodes = [], cores = [] } = host.inventory ?? {};
  const crowded = crowdedCores(cores, nfs);
  return [...nodes]
    .sort((a, b) => a.id - b.id)
    .map(({ id }) => {
      const own = cores.filter((core) => core.node === id);
      return {
        id,
        blocks: blocksOf(own, crowded),
        shared: own.some((core) => slotsOf(core, crowded) > 1),
        gauges: gaugesOf(id),
      };
    });
}

/** Physical cores in the order of their first logical core. */
export function blocksOf(cores: readonly Core[], crowded?: ReadonlyMap<number, number>): Block[] {
  const groups = new Map<string, Core[]>();
  for (const core of [...cores].sort((a, b) => a.id - b.id)) {
    const key = `${core.socket}/${core.physical_core}`;
    const known = groups.get(key);
    if (known) known.push(core);
    else groups.set(key, [core]);
  }
  return [...groups.values()].map((group) => ({
    threads: group.map((core) => ({ core: core.id, slots: slotsOf(core, crowded) })),
  }));
}

export function unitCount(nodes: readonly NodeBlocks[]): number {
  return nodes.reduce((sum, { blocks }) => sum + blocks.reduce((of, { threads }) => of + slotSum(threads), 0), 0);
}

function slotSum(threads: readonly Thread[]): number {
  return threads.reduce((sum, { slots }) => sum + slots, 0);
}
