/** Why a layer of counters, of orders or of packets shows nothing. Pure. */

import { reportsMemory, whyNoCounters } from "@/interference/counters";
import type { Layer } from "./layers";
import type { HostModel } from "./model";

/** Of drivers and plans it is said elsewhere. */
const SAID: readonly Layer["from"][] = ["counters", "orders", "packets"];

/** Why such a layer shows nothing of these hosts; null where it shows something. */
export function whyMissing(layer: Layer, models: readonly HostModel[]): string | null {
  const isReported = ({ units, nodes }: HostModel) => [...units, ...nodes].some(({ value }) => value !== null);
  if (!layer.from || !SAID.includes(layer.from) || models.some(isReported)) return null;
  if (layer.from === "packets")
    return "no NF here sends measured packets on to another host by a queue that it can read";
  if (layer.from === "orders") return `no NF here has ${layer.key === "ways" ? "ways of its own" : "a limit"}`;
  const [first, ...others] = models;
  if (!first) return null;
  if (layer.key === "link" && reportsMemory(first.host)) return "no host shown has a link between nodes";
  if (reportsMemory(first.host) || others.some(({ host }) => reportsMemory(host))) return "no NF runs here";
  if (others.length > 0) return "no host shown reports it: this needs hardware counters that the drivers do not read";
  return `${first.host.host_id} does not report it: ${whyNoCounters(first.host)}`;
}
