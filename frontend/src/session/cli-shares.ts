/** Shares as command lines. */

import { DEFAULT_ASK } from "@/api/defaults";
import type { ProfilingAsk } from "@/api/types";

const USUAL_POINTS = 6;
const USUAL_MOST_PERCENT = 90;

export const sharesCli = {
  measureShares: (ask: ProfilingAsk) => `sextant shares measure ${ask.nf_type} --host ${ask.host}${options(ask)}`,
  showShares: (id: number) => `sextant shares show ${id}`,
} as const;

/** The options that differ from what the command takes where nothing is said, with a space before each. */
function options(ask: ProfilingAsk): string {
  const option = (name: string, value: number, usual: number) => (value === usual ? "" : ` --${name} ${value}`);
  return [
    option("points", ask.shares?.points ?? USUAL_POINTS, USUAL_POINTS),
    option("most-percent", ask.shares?.most_percent ?? USUAL_MOST_PERCENT, USUAL_MOST_PERCENT),
    option("packet-bytes", ask.packet_bytes, DEFAULT_ASK.packet_bytes),
    option("flows", ask.flows, DEFAULT_ASK.flows),
    ask.shares?.hops ? " --hops" : "",
  ].join("");
}
