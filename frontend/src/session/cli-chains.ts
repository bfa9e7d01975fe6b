/** Chains as command lines. */

import type { AntiAffinity, ChainChange } from "@/api/types";
import { shellWord } from "./shell-word";

export const chainsCli = {
  submitChain: (file: string) => `sextant chains submit ${file}`,
  showChain: (name: string) => `sextant chains show ${name}`,
  capture: (name: string) => `sextant chains capture ${name} --headers`,
  adjustChain: (name: string, change: ChainChange) => `sextant chains adjust ${name}${adjustOptions(change)}`,
  setAntiAffinity: (name: string, group: AntiAffinity | null) =>
    `sextant chains anti-affinity ${name} ${group ? `${group.group}:${group.scope}` : "none"}`,
  deleteChain: (name: string) => `sextant chains delete ${name}`,
} as const;

/** Options of `sextant chains adjust`. */
export function adjustOptions(change: ChainChange): string {
  const parts: string[] = [];
  if (change.traffic) parts.push(`--rate-mpps ${change.traffic.rate_mpps}`);
  if (change.execution) parts.push(`--execution ${change.execution}`);
  if (change.paused != null) parts.push(change.paused ? "--pause" : "--resume");
  if (change.share_bounds !== undefined) parts.push(`--share-bounds ${boundsText(change.share_bounds)}`);
  if (change.quota_bounds !== undefined) parts.push(`--quota-bounds ${quotaBoundsText(change.quota_bounds)}`);
  for (const [name, nf] of Object.entries(change.nfs ?? {})) {
    const share = nf.cpu_share === undefined ? "" : (nf.cpu_share ?? "none");
    const quota = nf.cpu_quota_percent === undefined ? "" : `:${nf.cpu_quota_percent ?? "none"}`;
    if (share !== "" || quota !== "") parts.push(`--cpu ${name}=${share}${quota}`);
    for (const [setting, value] of Object.entries(nf.config ?? {})) {
      parts.push(`--config ${shellWord(`${name}.${setting}=${value === null ? "none" : JSON.stringify(value)}`)}`);
    }
  }
  return parts.map((part) => ` ${part}`).join("");
}

function boundsText(bounds: NonNullable<ChainChange["share_bounds"]> | null): string {
  if (!bounds) return "none";
  return [bounds.least_percent, bounds.most_percent, bounds.law].filter((part) => part !== undefined).join(":");
}

function quotaBoundsText(bounds: NonNullable<ChainChange["quota_bounds"]> | null): string {
  if (!bounds) return "none";
  const parts = [`${bounds.max_p95_us}:${bounds.least_percent}:${bounds.most_percent}`];
  if (bounds.most_ways != null) parts.push(`ways=${bounds.least_ways}-${bounds.most_ways}`);
  if (bounds.least_bandwidth_percent != null) parts.push(`bandwidth=${bounds.least_bandwidth_percent}`);
  return parts.join(":");
}
