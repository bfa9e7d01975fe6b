/** What the host page says of a host: its state since when, its nodes, its traffic. Pure. */

import type { ChainSpec, HostView } from "@/api/types";
import { count, figure, thousands, when } from "@/lib/format";

/** "stale since 14:35:02", "unreachable since 12 Nov 09:14"; empty for a host that is up. */
export function silentSince(host: HostView, now: Date): string {
  return host.status === "up" ? "" : `${host.status} since ${when(host.status_since, now)}`;
}

/** "holds src0, sink0", "remote"; nothing on the only node of a host without ports. */
export function nodeTitle(host: HostView, node: number): string {
  const names = portsAt(host, node);
  if (names.length > NAMED) return `holds ${count(names.length, "port")}`;
  if (names.length > 0) return `holds ${names.join(", ")}`;
  return (host.inventory?.nodes.length ?? 0) > 1 ? "remote" : "";
}

/** More names than this are counted. */
const NAMED = 3;

/** Where packets arrive: the ports of the node, or its network interfaces on a host that names no ports. */
export function portsAt({ inventory }: HostView, node: number): string[] {
  const { nics = [], ports = [] } = inventory ?? {};
  return (ports.length > 0 ? ports : nics).filter((each) => each.node === node).map(({ name }) => name);
}

export interface Fact {
  readonly name: string;
  readonly text: string;
}

/** Fields of the traffic profile that have words of their own; others are shown by their names. */
const TRAFFIC: Record<string, (value: number) => Fact> = {
  rate_mpps: (value) => ({ name: "Rate", text: `${figure(value)} Mpps` }),
  packet_bytes: (value) => ({ name: "Packet size", text: `${thousands(value)} B` }),
  flows: (value) => ({ name: "Flows", text: thousands(value) }),
};

/** Every field of the profile that is set, also those that this page was not written for. */
export function trafficFacts(traffic: ChainSpec["traffic"]): Fact[] {
  return Object.entries(traffic).flatMap(([key, value]: [string, unknown]) => {
    if (value === null || value === undefined) return [];
    const known = typeof value === "number" ? TRAFFIC[key]?.(value) : undefined;
    return [known ?? { name: fieldName(key), text: valueText(value) }];
  });
}

const UNITS: Record<string, string> = { mpps: "Mpps", bytes: "B", us: "µs", ms: "ms", s: "s", percent: "%" };

/** "burst_on_ms" as "Burst on, ms". */
export function fieldName(key: string): string {
  const words = key.split("_");
  const unit = words.length > 1 ? UNITS[words.at(-1) ?? ""] : undefined;
  const name = (unit ? words.slice(0, -1) : words).join(" ");
  return name.charAt(0).toUpperCase() + name.slice(1) + (unit ? `, ${unit}` : "");
}

/** Any JSON value in a few words: lists by commas, objects as "name value". */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return Number.isInteger(value) ? thousands(value) : figure(value);
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value !== "object") return String(value);
  return Object.entries(value)
    .filter(([, each]) => each !== null && each !== undefined)
    .map(([key, each]) => (key === "kind" ? valueText(each) : `${fieldName(key).toLowerCase()} ${valueText(each)}`))
    .join(", ");
}

/** "udp 10.0.0.0/8 → 192.168.0.0/16 port 53". */
export function matchText({ ingress: { match } }: ChainSpec): string {
  const port = match?.dst_port ? ` port ${match.dst_port}` : "";
  return `${match?.protocol} ${match?.src_prefix} → ${match?.dst_prefix}${port}`;
}
