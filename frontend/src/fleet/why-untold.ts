/** Why a layer of counters shows nothing. Pure. */

import { tellsMemory, whyNoCounters } from "@/interference/counters";
import type { Layer } from "./layers";
import type { HostModel } from "./model";

/** Why a layer of counters shows nothing of these hosts; null where it shows something. */
export function whyUntold(layer: Layer, models: readonly HostModel[]): string | null {
  const isTold = ({ units, nodes }: HostModel) => [...units, ...nodes].some(({ value }) => value !== null);
  if (layer.from !== "counters" || models.some(isTold)) return null;
  const [first, ...others] = models;
  if (!first) return null;
  if (layer.key === "link" && tellsMemory(first.host)) return "no host shown has a link between nodes";
  if (tellsMemory(first.host) || others.some(({ host }) => tellsMemory(host))) return "no NF runs here";
  if (others.length > 0) return "no host shown reports it: this needs hardware counters that the drivers do not read";
  return `${first.host.host_id} does not report it: ${whyNoCounters(first.host)}`;
}
