/** What the host page says of a host: its state since when, its nodes, its traffic. Pure. */

import type { ChainSpec, HostView } from "@/api/types";
import { count, when } from "@/lib/format";

/** "stale since 14:35:02", "unreachable since 12 Nov 09:14", "revoked since ..."; empty for a host that is up. */
export function silentSince(host: HostView, now: Date): string {
  if (host.revoked_at) return `revoked since ${when(host.revoked_at, now)}`;
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

/** "udp 10.0.0.0/8 → 192.168.0.0/16 port 53". */
export function matchText({ ingress: { match } }: ChainSpec): string {
  const port = match?.dst_port ? ` port ${match.dst_port}` : "";
  return `${match?.protocol} ${match?.src_prefix} → ${match?.dst_prefix}${port}`;
}
