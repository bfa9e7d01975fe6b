/** Moves of NFs: what a plan says that they cost, the fifth step, and what they brought. */

import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { describe, expect, it, vi } from "vitest";
import type { MoveOutcome, Operation, Step } from "@/api/types";
import { StepsTable } from "@/operations/steps-table";
import { AdjustmentsTable } from "@/plans/adjustments-table";
import { budgetText, LossSection } from "@/plans/loss";
import { operation, planBody } from "./fixtures";
import { expectAccessible, show } from "./plan-page";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
}));

const OUTCOME: MoveOutcome = {
  chains: [
    {
      chain: "web",
      before_gbps: 7.7,
      after_gbps: 8.8,
      offered_before_gbps: 8.8,
      offered_after_gbps: 8.8,
      lost_packets: 900,
      before_p95_us: 310.4,
      after_p95_us: 142,
      pause_ms: null,
    },
  ],
  before_gbps: 7.7,
  after_gbps: 8.8,
  lost_packets: 1200,
  pause_ms: null,
  within_budget: true,
  worse: false,
  provenance: "simulated",
  text: "carries 8.80 Gbps, 7.70 before; 1200 packets lost",
};

function step(name: Step["name"]): Step {
  const at = "2026-11-21T10:00:00Z";
  return { name, state: "done", attempts: 1, started_at: at, finished_at: at, detail: "", error: null };
}

function measured(names: readonly Step["name"][], outcome?: MoveOutcome): Operation {
  const work = {
    host: "edge-1",
    state: "COMPLETED" as const,
    from_generation: 4,
    to_generation: 5,
    steps: names.map(step),
    waits_for_host: false,
    after: [],
    ...(outcome ? { outcome } : {}),
  };
  return operation(7, { hosts: [work] });
}

const FOUR = ["check", "put", "converge", "verify"] as const;

describe("the fifth step", () => {
  it("is a column only where a host has it", () => {
    const { unmount } = show(<StepsTable operation={measured(FOUR)} />);
    expect(screen.queryByRole("columnheader", { name: "Measure" })).toBeNull();
    unmount();
    show(<StepsTable operation={measured([...FOUR, "measure"])} />);
    expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).toEqual([
      "Host",
      "Check",
      "Put",
      "Converge",
      "Verify",
      "Measure",
    ]);
  });

  it("shows what moves brought, and that it was simulated", async () => {
    const { container } = show(<StepsTable operation={measured([...FOUR, "measure"], OUTCOME)} />);
    expect(container.textContent).toContain("carries 8.80 Gbps, 7.70 before; 1200 packets lost (simulated)");
    expect(screen.getByRole("img", { name: "simulated" })).toBeTruthy();
    await userEvent.click(screen.getByText("1 chain before and after"));
    const table = screen.getByRole("table", { name: /^Chains of .* before and after the moves$/ });
    expect(within(table).getAllByRole("row").at(-1)?.textContent).toBe("web7.708.808.80 → 8.80310 µs → 142 µs900");
    await expectAccessible(container);
  });

  it("says where it goes back", () => {
    const worse = { ...OUTCOME, worse: true, within_budget: null, chains: [] };
    const { container } = show(<StepsTable operation={measured([...FOUR, "measure"], worse)} />);
    expect(container.textContent).toContain("; the host goes back to what it ran before");
    expect(container.querySelector(".shape.bad")).not.toBeNull();
  });
});

describe("what moving costs", () => {
  it("is said with its budget, and marked where it is assumed", async () => {
    const body = planBody({
      intent: { kind: "resources", seats: { "web.router": 4 }, loss_budget: { most_packets: 600, most_pause_ms: 5 } },
      loss: {
        packets: 520,
        pause_ms: 2.6,
        assumed: true,
        basis: "as on the testbed",
        chains: [{ chain: "web", moves: 1, rate_mpps: 0.2, packets: 520 }],
      },
    });
    const { container } = show(<LossSection body={body} />);
    expect(container.textContent).toContain("520 packets lost at most, 2.6 ms without a packet in each move.");
    expect(container.textContent).toContain("allowed: 600 packets, 5 ms; moves that cost more are undone");
    expect(screen.getByRole("img", { name: "assumed" })).toBeTruthy();
    await expectAccessible(container);
  });

  it("is not there where nothing moves", () => {
    expect(show(<LossSection body={planBody()} />).container.textContent).toBe("");
    expect(budgetText(undefined)).toBeNull();
    expect(budgetText({ most_packets: null, most_pause_ms: 5 })).toBe("allowed: 5 ms; moves that cost more are undone");
  });
});

describe("bounds", () => {
  it("are shown before and after as sentences", () => {
    const bounds = {
      law: "numasfp",
      law_version: 1,
      table: `sha256:${"1a2b3c4d".repeat(8)}`,
      least_ways: 2,
      most_ways: 6,
      least_percent: 10,
      most_percent: 50,
    };
    const one = { host: "edge-1", chain: "web", field: "bounds", before: "null", after: JSON.stringify(bounds) };
    const { container } = show(<AdjustmentsTable adjustments={[one]} />);
    expect(container.textContent).toContain("2 to 6 LLC ways, 10 to 50 % of memory bandwidth, by numasfp 1, table ");
    expect(container.textContent).toContain("none");
  });
});
