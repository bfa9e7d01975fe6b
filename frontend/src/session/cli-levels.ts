/** Levels as command lines. */

import { DEFAULT_ASK } from "@/api/defaults";
import type { ProfilingAsk } from "@/api/types";

const USUAL_RATES = "1 2 3 4 5 6 7 8 9 10";

export const levelsCli = {
  measureLevels: (ask: ProfilingAsk) => `sextant levels measure ${ask.nf_type} --host ${ask.host}${options(ask)}`,
  showLevels: (id: number) => `sextant levels show ${id}`,
  decideLevels: (what: "promote" | "retire", id: number) => `sextant levels ${what} ${id}`,
} as const;

/** The options that differ from what the command takes where nothing is said, with a space before each. */
function options(ask: ProfilingAsk): string {
  const rates = ask.levels?.rates_gbps ?? [];
  const nodes = ask.levels?.nodes ?? [];
  const option = (name: string, value: number, usual: number) => (value === usual ? "" : ` --${name} ${value}`);
  return [
    rates.join(" ") === USUAL_RATES ? "" : rates.map((rate) => ` --rate ${rate}`).join(""),
    nodes.length === 1 ? ` --node ${nodes[0]}` : "",
    option("packet-bytes", ask.packet_bytes, DEFAULT_ASK.packet_bytes),
    option("flows", ask.flows, DEFAULT_ASK.flows),
    option("half-width", ask.half_width_percent, DEFAULT_ASK.half_width_percent),
  ].join("");
}
