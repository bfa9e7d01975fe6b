/** What stands where in a point, and what each kind of point shows, in words. Pure. */

import type { PointPurpose, PointSetting } from "@/api/types";
import { count, figure, thousands } from "@/lib/format";

/** In the order of a profile: alone first, drops are relative to that. */
export const PURPOSES: readonly { readonly key: PointPurpose; readonly title: string; readonly measures: string }[] = [
  { key: "ideal", title: "Alone", measures: "solo throughput and counters" },
  { key: "local", title: "Beside competitors", measures: "loss to competitors on its own, local node" },
  {
    key: "across",
    title: "Competitors elsewhere",
    measures: "competitors on other nodes: separates memory from cache",
  },
  { key: "remote", title: "On a remote node", measures: "loss to competitors there" },
  { key: "crossing", title: "Across nodes", measures: "its upstream NF on another node" },
  { key: "behind", title: "Behind its chain", measures: "on a remote node, behind an NF of its chain there" },
  { key: "rates", title: "Slower competitors", measures: "competitors below their full rate, some in chains" },
  { key: "handing", title: "Hand-off", measures: "cost of the NF before or behind it in its chain" },
  { key: "sensitivity", title: "Sensitivity", measures: "loss to bubbles of increasing size" },
  { key: "contentiousness", title: "Contentiousness", measures: "loss of a fixed reporter beside it" },
  { key: "share", title: "Shares", measures: "share of its core at a rate" },
  { key: "hop", title: "Hops", measures: "delay of handing a packet on to another process" },
  { key: "level", title: "Levels", measures: "throughput with some cache ways and memory bandwidth" },
];

export function purposeTitle(purpose: PointPurpose): string {
  return PURPOSES.find(({ key }) => key === purpose)?.title ?? purpose;
}

/** "edge-firewall on node 0"; with others of its chain "router on node 1 → edge-firewall on node 0 → (nat on node 0)". */
export function chainText({ chain, downstream }: PointSetting): string {
  const own = chain.map(({ nf_type, node }) => `${nf_type} on node ${node}`);
  return [...own, ...downstream.map(({ nf_type, node }) => `(${nf_type} on node ${node})`)].join(" → ");
}

/** "3 dpi on node 0, 2 vpn on node 1", slower ones with their rate or chains; "alone" without competitors. */
export function othersText(setting: PointSetting): string {
  if (setting.purpose === "share" || setting.purpose === "hop") return `offered ${figure(setting.rate_mpps ?? 0)} Mpps`;
  if (setting.llc_ways != null) {
    return `${count(setting.llc_ways, "way")}, ${setting.memory_bandwidth_percent} % of memory bandwidth`;
  }
  const groups = new Map<string, { type: string; node: number; number: number }>();
  for (const { nf_type: type, node } of setting.others) {
    const key = `${type} ${node}`;
    groups.set(key, { type, node, number: (groups.get(key)?.number ?? 0) + 1 });
  }
  if (groups.size === 0) return "alone";
  const size = setting.bubble_kib ? ` of ${kibText(setting.bubble_kib)}` : "";
  const beside = [...groups.values()].map(({ type, node, number }) => `${number} ${type}${size} on node ${node}`);
  return `${beside.join(", ")}${fedText(setting)}`;
}

function fedText({ purpose, others_a_chain: length, rate_mpps: rate }: PointSetting): string {
  if (purpose !== "rates") return "";
  if (length > 1) return ` in chains of ${length}`;
  return rate == null ? "" : ` at ${figure(rate)} Mpps`;
}

/** "256 KiB", "4 MiB". */
export function kibText(kib: number): string {
  return kib >= 1024 && kib % 1024 === 0 ? `${thousands(kib / 1024)} MiB` : `${thousands(kib)} KiB`;
}

/** The one type that all competitors are of, "a mix" of several, null without any. */
export function competitorOf({ others }: PointSetting): string | null {
  const types = new Set(others.map(({ nf_type }) => nf_type));
  if (types.size === 0) return null;
  return types.size === 1 ? (others[0]?.nf_type ?? null) : "a mix";
}

/** "10 alone, 16 beside competitors, ...": how many points of each purpose there are. */
export function byPurpose(
  settings: readonly PointSetting[],
): readonly { title: string; measures: string; points: number }[] {
  return PURPOSES.flatMap(({ key, title, measures }) => {
    const points = settings.filter(({ purpose }) => purpose === key).length;
    return points > 0 ? [{ title, measures, points }] : [];
  });
}

/** "12 points". */
export function pointsText(points: number): string {
  return count(points, "point");
}
