/** What was asked of a study of NUMASFP, in a few lines. */

import type { NumasfpScenario } from "@/api/types";
import { count, tick } from "@/lib/format";

const WHAT: Readonly<Record<NumasfpScenario["run"]["what"], string>> = {
  rates: "what chains carry, by rate and place",
  migration: "a chain that changes its node",
  neighbours: "an NF beside programs that copy through memory",
  levels: "least ways and bandwidth for each rate",
  sharing: "one group for a chain, or one for each NF",
  traces: "algorithms on drawn rates, by the look-up table",
  loop: "an algorithm in charge, second by second",
};

export function numasfpFacts({
  figure,
  machine,
  frame_bytes,
  flows,
  run,
  expect = [],
}: NumasfpScenario): [string, string][] {
  return [
    ["Figure", figure],
    ["Measured", WHAT[run.what]],
    ...(run.what === "traces"
      ? ([["Look-up table", run.table ?? ""]] as [string, string][])
      : ([
          ["Simulated server", machine ?? ""],
          ["Traffic", `${frame_bytes} bytes with FCS, ${tick(flows ?? 0)} flows`],
        ] as [string, string][])),
    ["Expected", count(expect.length, "value")],
  ];
}
