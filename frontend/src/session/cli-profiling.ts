/** Profiling jobs as command lines. */

import { DEFAULT_ASK, lineRate } from "@/api/defaults";
import type { JobAction, ProfilingAsk } from "@/api/types";

export const profilingCli = {
  startProfile: (ask: ProfilingAsk) => `sextant profile start ${ask.nf_type} --host ${ask.host}${askOptions(ask)}`,
  profilingJobs: () => "sextant profile jobs",
  watchProfile: (job: number) => `sextant profile watch ${job}`,
  profilePoints: (job: number) => `sextant profile points ${job}`,
  steerProfile: (action: JobAction, job: number) => `sextant profile ${action} ${job}`,
  proceedWithPlan: (plan: number) => `sextant plans proceed ${plan}`,
  outcomesOfChain: (chain: string) => `sextant outcomes --chain ${chain}`,
} as const;

/** The options that differ from what the command takes where nothing is said, with a space before each. */
export function askOptions(ask: ProfilingAsk): string {
  const option = (name: string, value: number, usual: number) => (value === usual ? "" : ` --${name} ${value}`);
  return [
    option("packet-bytes", ask.packet_bytes, DEFAULT_ASK.packet_bytes),
    option("flows", ask.flows, DEFAULT_ASK.flows),
    option("rate", ask.rate_mpps ?? 0, lineRate(ask.packet_bytes)),
    ...ask.competitors.map((name) => ` --beside ${name}`),
    ask.most_competitors == null ? "" : ` --most-competitors ${ask.most_competitors}`,
    option("seconds", ask.seconds, DEFAULT_ASK.seconds),
    option("half-width", ask.half_width_percent, DEFAULT_ASK.half_width_percent),
    option("max-samples", ask.max_samples, DEFAULT_ASK.max_samples),
    option("seed", ask.seed, DEFAULT_ASK.seed),
    ask.fresh ? " --fresh" : "",
  ].join("");
}
