/** A host's nodes with their chains as blocks: how high each is, how far it is filled, which ways are given. Pure. */

import type { NumasfpChain, NumasfpHost, NumasfpNode } from "@/api/types";

export interface Block {
  readonly chain: NumasfpChain;
  /** Of the tallest the picture has room for, 0 to 100; null: its rate is not measured. */
  readonly height: number | null;
  /** Of its own height, 0 to 100. */
  readonly filled: number;
  /** It carries less than 99 % of what it is offered. */
  readonly short: boolean;
}

export interface NodeBlocks {
  readonly node: NumasfpNode;
  readonly blocks: readonly Block[];
  readonly nfs: number;
  /** Ways that chains have of their own; null: none is reported. */
  readonly given: number | null;
  readonly percent: number | null;
  /** Packets of all its chains arrive here; null: it has none to tell by. */
  readonly local: boolean | null;
}

/** Carried in full: as the law counts it. */
const IN_FULL = 0.99;

/** The top of all blocks' scale, Gbps: the smallest 1, 2, 3, 4, 5 or 8 times a power of ten that holds them all. */
export function topOf(chains: readonly NumasfpChain[]): number {
  const most = Math.max(0, ...chains.map(({ rate_gbps }) => rate_gbps ?? 0));
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 3, 4, 5, 8, 10].find((each) => each * power >= most) ?? 10) * power;
}

/** By falling rate: what is not measured comes last. */
export function nodesOf(host: Pick<NumasfpHost, "nodes" | "chains">): readonly NodeBlocks[] {
  const top = topOf(host.chains);
  return host.nodes
    .toSorted((one, other) => one.node - other.node)
    .map((node) => {
      const here = host.chains.filter((chain) => chain.node === node.node);
      const sides = new Set(here.map(({ local }) => local));
      return {
        node,
        blocks: here
          .toSorted(
            (one, other) => (other.rate_gbps ?? -1) - (one.rate_gbps ?? -1) || (one.chain < other.chain ? -1 : 1),
          )
          .map((chain) => blockOf(chain, top)),
        nfs: here.reduce((sum, { nfs }) => sum + nfs, 0),
        given: sumOf(here.map(({ llc_ways }) => llc_ways)),
        percent: sumOf(here.map(({ memory_bandwidth_percent }) => memory_bandwidth_percent)),
        local: sides.size === 1 ? (here[0]?.local ?? null) : null,
      };
    });
}

/** Chains that stand on several nodes: the law leaves them. */
export function spread(host: Pick<NumasfpHost, "chains">): readonly NumasfpChain[] {
  return host.chains.filter(({ node }) => node === null);
}

function blockOf(chain: NumasfpChain, top: number): Block {
  const { rate_gbps: rate, carried_gbps: carried } = chain;
  if (rate === null) return { chain, height: null, filled: 0, short: false };
  const share = carried === null || rate <= 0 ? 0 : Math.min(1, carried / rate);
  return {
    chain,
    height: (rate / top) * 100,
    filled: share * 100,
    short: carried !== null && rate > 0 && carried < IN_FULL * rate,
  };
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
