/** Work that is none of the NFs: which cores it uses, and which NFs it stands beside. By telemetry alone. Pure. */

import type { ActiveFault, Core, HostView, NfView } from "@/api/types";
import { percent } from "@/lib/format";
import type { Limit } from "./limit";

/** Of a core's time: less is the system's own, and no neighbour to speak of. */
const MUCH_PERCENT = 20;
/** More cores are counted and not listed one by one. */
const NAMED = 2;

/** Of its time a core that is used so much has none left: what other work takes there, its NF lacks. */
const FULL_PERCENT = 90;

export interface OtherWork {
  readonly core: Core;
  readonly percent: number;
  /** All that stands on the core together leaves nothing of its time. */
  readonly full: boolean;
}

const NONE: ReadonlyMap<number, OtherWork> = new Map();

/** By core. Without cores that no NF may take: there the data plane works. */
export function otherWork({ status, cores, inventory }: HostView): ReadonlyMap<number, OtherWork> {
  const much = cores.filter(({ other_percent: other }) => (other ?? 0) >= MUCH_PERCENT);
  if (status === "unreachable" || much.length === 0) return NONE;
  const found = new Map<number, OtherWork>();
  for (const { core: id, busy_percent: busy, other_percent: other } of much) {
    const core = inventory?.cores.find((each) => each.id === id);
    if (core && !core.reserved_for && core.slots !== 0)
      found.set(id, { core, percent: other ?? 0, full: busy >= FULL_PERCENT });
  }
  return found;
}

/** Nobody knows what is other work on a host: an NF whose CPU time is not measured has packets, and the kernel works on
 * them on any core. */
export function isUnknownBeside(nfs: Iterable<NfView>): boolean {
  for (const { sample } of nfs) {
    if (sample && sample.cpu_percent == null && sample.rx_mpps > 0) return true;
  }
  return false;
}

/** "other work 98 % of the core". */
export function otherText(part: number): string {
  return `other work ${percent(part)} % of the core`;
}

export interface Beside {
  /** On the NF's own core. */
  readonly own: OtherWork | null;
  /** On other cores of its node, which share memory and, as far as the host reports, the LLC with it; most first. */
  readonly node: readonly OtherWork[];
}

/** What stands beside an NF now; null where nothing does. Other nodes are left out, and the core that a small host
 * keeps for its own work and offers last. */
export function besideOf(host: HostView, { seat, actual_core }: NfView): Beside | null {
  if (host.status !== "up") return null;
  const all = otherWork(host);
  const core = actual_core ?? seat.core;
  const node = host.inventory?.cores.find(({ id }) => id === core)?.node ?? seat.node;
  const own = all.get(core) ?? null;
  const others = [...all.values()].filter((work) => work !== own && work.core.node === node && !work.core.last_choice);
  if (!own && others.length === 0) return null;
  return { own, node: others.sort((a, b) => b.percent - a.percent || a.core.id - b.core.id) };
}

/** Whether other work on its own core is what makes an NF lose packets: it is measured not to keep up, and the two of
 * them leave nothing of the core's time. Work on other cores may be a cause, and nothing measures that. */
export function isCause({ own }: Beside, by: Limit["by"]): boolean {
  return own?.full === true && by !== "queue";
}

/** By core, what noisy neighbours that somebody injected press on, and that are not over. */
export function injectedOn(faults: readonly ActiveFault[], now: number): ReadonlyMap<number, string> {
  const found = new Map<number, string>();
  for (const { fault, until } of faults) {
    if (fault.kind !== "noisy-neighbour" || (until !== null && Date.parse(until) <= now)) continue;
    for (const core of fault.cores) found.set(core, fault.resource);
  }
  return found;
}

/** "It does so because of other work, which uses 63 % of its core"; then what else stands beside it, if anything. */
export function causeText({ own, node }: Beside, injected: ReadonlyMap<number, string>): readonly string[] {
  if (!own) return [];
  const cause = `The cause is other work, which uses ${percent(own.percent)} % of its core`;
  const others = { own: null, node };
  const rest = node.length > 0 ? [`Also: ${besideText(others, injected)}`] : [];
  return [`${cause}${injectedText([own], injected)}`, ...rest];
}

/** "other work uses 98 % of core 7 of the same node (injected fault: noisy neighbour on memory)". */
export function besideText({ own, node }: Beside, injected: ReadonlyMap<number, string>): string {
  const parts: string[] = [];
  if (own) parts.push(`${percent(own.percent)} % of its own core${injectedText([own], injected)}`);
  if (node.length > 0) {
    const each = node.map(({ core, percent: part }) => `${percent(part)} % of core ${core.id}`);
    const where = node.length > NAMED ? `cores ${node.map(({ core }) => core.id).join(", ")}` : each.join(" and ");
    parts.push(`${where} of the same node${injectedText(node, injected)}`);
  }
  return `other work uses ${parts.join(", and ")}`;
}

/** " (injected fault: noisy neighbour on memory)"; empty where nobody is known to have injected it. */
export function injectedText(works: readonly OtherWork[], injected: ReadonlyMap<number, string>): string {
  const resources = new Set(works.flatMap(({ core }) => injected.get(core.id) ?? []));
  return resources.size > 0 ? ` (injected fault: noisy neighbour on ${[...resources].sort().join(" and ")})` : "";
}
