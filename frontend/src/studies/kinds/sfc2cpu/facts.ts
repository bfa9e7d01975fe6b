/** What was asked of a study of a figure of sfc2cpu's paper, in a few lines. */

import type { Sfc2cpuScenario } from "@/api/types";
import { count, tick } from "@/lib/format";

const WHAT: Readonly<Record<Sfc2cpuScenario["run"]["what"], string>> = {
  loads: "what cores are asked for, by assigner",
  served: "what comes out, and how long packets take, by assigner",
  shares: "equal shares of a core beside shares by rate and cost",
};

export function sfc2cpuFacts({ figure, machine, seed, run, expect = [] }: Sfc2cpuScenario): [string, string][] {
  return [
    ["Figure", figure],
    ["Computed", WHAT[run.what]],
    run.what === "loads" ? ["Model", "ideal, as the paper has it"] : ["Simulated server", machine ?? ""],
    ["Cores", run.cores.join(", ")],
    ["Assigners", run.assigners.join(", ")],
    ["Instances", `${count(run.instances ?? 0, "instance")} for each number of cores, seed ${seed ?? 0}`],
    ["Offered", `${tick(run.system_mpps ?? 0)} Mpps to all chains of an instance`],
    ["Expected", count(expect.length, "value")],
  ];
}
