/** A host's status in words and shapes. */

import type { HostView } from "@/api/types";
import { duration, secondsSince } from "@/lib/format";

export type HostStatus = HostView["status"];

/** "stale 14 s", "unreachable since 14:35"; empty for a host that is up. */
export function statusText(host: HostView, nowMs: number): string {
  if (host.status === "up") return "";
  const age = host.last_seen_at ? ` ${duration(secondsSince(host.last_seen_at, nowMs))}` : "";
  return `${host.status}${age}`;
}
