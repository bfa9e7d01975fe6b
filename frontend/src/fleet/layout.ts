/** The heat map's geometry: one pure function from hosts and a width to boxes, in CSS pixels. */

import type { FleetLayout, LayoutOptions } from "./boxes";
import { densityFor } from "./density";
import { layoutLabelled } from "./layout-labelled";
import { layoutMass } from "./layout-mass";
import { layoutTiles } from "./layout-tiles";
import type { HostShape } from "./shape";
import { Sheet } from "./sheet";

export function layoutFleet(hosts: readonly HostShape[], options: LayoutOptions): FleetLayout {
  const level = options.level ?? densityFor(hosts.length);
  const sheet = new Sheet();
  if (level === "labelled") layoutLabelled(hosts, options.width, sheet);
  else if (level === "mass") layoutMass(hosts, options, sheet);
  else layoutTiles(hosts, level, options.width, sheet);
  return sheet.finish(level);
}
