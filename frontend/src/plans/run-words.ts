/** How a chain runs, in words, where that is not as ever: "run to completion; router: CPU share 300, at most 40 %". Pure. */

import type { ChainSpec } from "@/api/types";

export interface HowItRuns {
  readonly execution: ChainSpec["execution"];
  readonly paused: boolean;
  readonly nfs: readonly {
    readonly name: string;
    readonly cpu_share?: number | null;
    readonly cpu_quota_percent?: number | null;
  }[];
}

/** Empty where every NF is a process of its own, with the CPU it gets. */
export function runWords({ execution, paused, nfs }: HowItRuns): string {
  const parts = [execution === "run-to-completion" ? "run to completion" : "", paused ? "paused" : ""];
  for (const { name, cpu_share, cpu_quota_percent } of nfs) {
    const share = cpu_share == null ? [] : [`CPU share ${cpu_share}`];
    const quota = cpu_quota_percent == null ? [] : [`at most ${cpu_quota_percent} %`];
    if (share.length + quota.length > 0) parts.push(`${name}: ${[...share, ...quota].join(", ")}`);
  }
  return parts.filter((part) => part !== "").join("; ");
}
