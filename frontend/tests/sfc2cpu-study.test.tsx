/** A study of a figure of sfc2cpu's paper on its page: what was asked, values beside the paper's, and the figure. */

import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { Sfc2cpuScenario } from "@/api/types";
import { sfc2cpuFacts } from "@/studies/kinds/sfc2cpu/facts";
import { ChecksSection } from "@/studies/paper-checks";
import { FigureSection } from "@/studies/paper-figure";
import { expectAccessible } from "./plan-page";
import { NUMASFP_RESULT } from "./study-fixtures";

afterEach(cleanup);

const SCENARIO: Sfc2cpuScenario = {
  name: "sfc2cpu-fig5",
  summary: "Two assigners.",
  kind: "sfc2cpu",
  figure: "Fig. 5b and 5c",
  machine: "epyc-7301",
  seed: 7,
  run: { what: "served", cores: [4, 8], assigners: ["min_max", "rr"], instances: 100, system_mpps: 2, kinds: ["nat"] },
  expect: [],
};
const CHECK = {
  what: "ffd, 16 cores: throughput",
  unit: "Mpps",
  ours: 1.97,
  paper: 1.38,
  tolerance: 0.2,
  bound: "within" as const,
  passed: false,
  reason: "no ring overflows within a slice",
};

it("says what was computed, on what and of how much", () => {
  const facts = new Map(sfc2cpuFacts(SCENARIO));
  expect(facts.get("Computed")).toBe("what comes out, and how long packets take, by assigner");
  expect([facts.get("Simulated server"), facts.get("Cores"), facts.get("Assigners")]).toEqual([
    "epyc-7301",
    "4, 8",
    "min_max, rr",
  ]);
  expect(facts.get("Instances")).toBe("100 instances for each number of cores, seed 7");
  const run = { what: "loads" as const, cores: [4], assigners: ["rr" as const], instances: 1, system_mpps: 2 };
  const loads = { ...SCENARIO, run };
  expect(new Map(sfc2cpuFacts(loads)).get("Model")).toBe("ideal, as the paper has it");
});

it("has a table of values beside the paper's, with verdict and reason, and a plot a unit", async () => {
  const summary = { kind: "sfc2cpu" as const, name: "n", summary: "s", figure: "Fig. 5b", machine: "epyc-7301" };
  const { container } = render(
    <>
      <ChecksSection summary={{ ...summary, runs: 1, passed: 0, failed: 1, checks: [CHECK] }} />
      <FigureSection
        result={{
          kind: "sfc2cpu",
          scenario: SCENARIO,
          origin: NUMASFP_RESULT.origin,
          checks: [CHECK],
          x: "cores",
          lines: [
            { name: "rr", unit: "Mpps", x: [4, 8], y: [1.71, 1.96] },
            { name: "rr", unit: "ms", x: [4, 8], y: [7.5, 1.8] },
          ],
        }}
      />
    </>,
  );
  const table = screen.getByRole("table", { name: "Values beside the paper's" });
  expect(within(table).getByText("1.38 ± 0.2 Mpps")).toBeTruthy();
  expect(within(table).getByText("Likely because no ring overflows within a slice.")).toBeTruthy();
  expect(screen.getByRole("img", { name: "Mpps by cores: rr, at last 2.0" })).toBeTruthy();
  expect(screen.getByRole("img", { name: "ms by cores: rr, at last 1.8" })).toBeTruthy();
  await expectAccessible(container);
});
