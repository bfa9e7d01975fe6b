/** What laws on a host's agent gave its chains, within the bounds of their orders. Pure. */

import type { ChainControl } from "@/api/types";
import { type Allocation, limitOf } from "@/capabilities/allocations";
import { figure } from "@/lib/format";

/** Allocations as ordered, with what laws gave in place of what chains began with. */
export function asGiven(ordered: readonly Allocation[], controls: readonly ChainControl[]): Allocation[] {
  const byChain = new Map(controls.map((one) => [one.chain, one]));
  return ordered.map((one) => {
    const control = one.ofChain ? byChain.get(one.chain) : undefined;
    if (!control) return one;
    return { ...one, ways: control.llc_ways ?? null, percent: limitOf(control.memory_bandwidth_percent) };
  });
}

/** "web: 4 ways, 40 %, set by numasfp: enough for 7.5 Gbps by its table". */
export function controlText(control: ChainControl): string {
  const { chain, law, llc_ways: ways, memory_bandwidth_percent: percent, state } = control;
  const has = [ways == null ? "" : `${ways} ${ways === 1 ? "way" : "ways"}`, percent == null ? "" : `${percent} %`];
  const set = `${[chain, has.filter(Boolean).join(", ")].filter(Boolean).join(": ")}, set by ${law}`;
  if (state === "held") return `${set}, held: ${control.note ?? "it does not say why"}`;
  if (control.note != null) return `${set}: ${control.note}`;
  return control.rate_gbps == null ? set : `${set}: enough for ${figure(control.rate_gbps)} Gbps by its table`;
}
