/** What a host has to run NFs on. Pure. */

import type { Core } from "@/api/types";

/** How many NFs it can hold; a reserved core is drawn as one. */
export function slotsOf(core: Core): number {
  return core.reserved_for ? 1 : Math.max(1, core.slots ?? 1);
}

/** The cores of a node in the order in which they are drawn at every level but `mass`. */
export function coresOfNode(cores: readonly Core[], node: number): Core[] {
  return cores.filter((core) => core.node === node).sort((a, b) => a.id - b.id);
}
