/** The log of an operation: its steps in the order in which they ended, over all hosts. */

import { render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Operation, Step } from "@/api/types";
import { logOf } from "@/operations/log";
import { OperationLog } from "@/operations/operation-log";
import { operation } from "./fixtures";
import { expectAccessible } from "./plan-page";

const at = (second: number) => `2026-11-21T10:00:0${second}Z`;

function step(name: Step["name"], change: Partial<Step> = {}): Step {
  return {
    name,
    state: "waiting",
    attempts: 0,
    started_at: null,
    finished_at: null,
    detail: "",
    error: null,
    ...change,
  };
}

const done = (name: Step["name"], second: number, detail = "") =>
  step(name, { state: "done", attempts: 1, started_at: at(second - 1), finished_at: at(second), detail });

function two(): Operation {
  const work = { state: "PROCESSING" as const, from_generation: 4, to_generation: 5, waits_for_host: false, after: [] };
  const refused = {
    type: "about:blank",
    title: "the host did not reach generation 5",
    status: 409,
    detail: "",
    difference: null,
    errors: [],
    instance: null,
    next_actions: [],
    request_id: null,
  };
  return operation(3, {
    created_at: at(0),
    started_at: at(1),
    hosts: [
      { ...work, host: "edge-1", steps: [done("check", 3, "ledger at generation 4"), step("put")] },
      {
        ...work,
        host: "edge-2",
        steps: [
          done("check", 2),
          step("put", { state: "failed", attempts: 3, started_at: at(2), finished_at: at(4), error: refused }),
        ],
      },
    ],
  });
}

describe("the log of an operation", () => {
  it("puts what happened on all hosts in one order and leaves out what waits", () => {
    expect(logOf(two()).map(({ where, words }) => `${where ? `${where.host} ${where.step}: ` : ""}${words}`)).toEqual([
      "asked for by admin",
      "started",
      "edge-2 Check: done",
      "edge-1 Check: done: ledger at generation 4",
      "edge-2 Put: failed, try 3: the host did not reach generation 5",
    ]);
  });

  it("ends with what became of it, and marks what failed", async () => {
    const { container } = render(<OperationLog operation={{ ...two(), state: "CANCELLED", finished_at: at(9) }} />);
    const lines = within(screen.getByRole("list", { name: "Log" })).getAllByRole("listitem");
    expect(lines.at(-1)?.textContent).toContain("cancelled");
    expect(lines.map(({ className }) => className)).toEqual(["", "", "", "", "bad", ""]);
    await expectAccessible(container);
  });

  it("shows the last lines of a long one and says how many it leaves out", () => {
    const work = two().hosts[0];
    const hosts = Array.from({ length: 250 }, (_, index) => ({ ...work, host: `edge-${index}` })) as Operation["hosts"];
    render(<OperationLog operation={{ ...two(), hosts }} />);
    // Two of the operation and one of each host.
    expect(screen.getByText("without the first 52 lines")).toBeTruthy();
    expect(screen.getAllByRole("listitem")).toHaveLength(200);
  });
});
