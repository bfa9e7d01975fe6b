/** Profiling jobs as command lines. */

import type { JobAction, ProfilingAsk } from "@/api/types";
import { askOptions } from "./ask-draft";

export const profilingCli = {
  startProfile: (ask: ProfilingAsk) => `sextant profile start ${ask.nf_type} --host ${ask.host}${askOptions(ask)}`,
  profilingJobs: () => "sextant profile jobs",
  watchProfile: (job: number) => `sextant profile watch ${job}`,
  profilePoints: (job: number) => `sextant profile points ${job}`,
  steerProfile: (action: JobAction, job: number) => `sextant profile ${action} ${job}`,
  proceedWithPlan: (plan: number) => `sextant plans proceed ${plan}`,
  outcomesOfChain: (chain: string) => `sextant outcomes --chain ${chain}`,
} as const;
