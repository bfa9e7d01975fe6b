/** What a layout consists of, in CSS pixels. */

import type { Density } from "./density";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

/** One slot of one core; in `mass`, one place in a node's sorted row. */
export interface UnitBox extends Box {
  readonly host: number;
  /** Index in the host's nodes. */
  readonly node: number;
}

/** Above the slots of a shared core, where there is room for words (`labelled`). */
export interface CoreHeadBox extends Box {
  readonly host: number;
  readonly node: number;
  /** Index in the node's cores. */
  readonly core: number;
}

export interface NodeBox extends Box {
  readonly host: number;
  readonly node: number;
  readonly holdsNics: boolean;
}

export interface HostBox extends Box {
  /** Height of the head at the top of the box; 0 where there is none. */
  readonly head: number;
  /** This host's units are `units[first]` to `units[first + count - 1]`: node by node, core by core, slot by slot. */
  readonly first: number;
  readonly count: number;
}

export interface GroupBox extends Box {
  readonly label: string;
  readonly level: "zone" | "rack";
  readonly hosts: number;
  readonly cores: number;
}

export interface FleetLayout {
  readonly level: Density;
  readonly width: number;
  readonly height: number;
  readonly units: readonly UnitBox[];
  readonly coreHeads: readonly CoreHeadBox[];
  readonly nodes: readonly NodeBox[];
  readonly hosts: readonly HostBox[];
  readonly groups: readonly GroupBox[];
}

export interface LayoutOptions {
  /** Room for the map; a level that never shrinks may come out wider. */
  readonly width: number;
  readonly height: number;
  /** Overrides the density rule. */
  readonly level?: Density | undefined;
}
