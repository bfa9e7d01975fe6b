/** The path of a chain at a moment of the past: hops of all its parts in order, or that nothing was measured then. */

import { screen, within } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { ChainView, PastFleet } from "@/api/types";
import { live } from "@/live/store";
import { chain, snapshot } from "./fixtures";

const wire = await vi.hoisted(() => import("./wire"));

import { PathThen } from "@/chains/path-then";
import { expectAccessible, show } from "./plan-page";

const AT = "2026-11-21T10:00:00Z";

function part(number: number): ChainView {
  const name = number === 1 ? "web" : `web-part-${number}`;
  const plain = chain(name);
  return { ...plain, spec: { ...plain.spec, part: { of: "web", number, count: 2, tag: 32769 } } };
}

function then(name: string, hops: PastFleet["hops"]): void {
  const body = { at: AT, step_s: 10, level: "10s", hosts: [], chains: [], hops };
  wire.answers.set(`GET /history/fleet?at=${encodeURIComponent(AT)}&chain=${name}`, { status: 200, body });
}

afterEach(() => wire.answers.clear());

it("has hops of all parts in the order in which packets pass, and names the slowest of that moment", async () => {
  live.receive({ type: "events", events: [snapshot({ chains: [part(2), part(1)] })] });
  const none = { waits_us: null, queue_packets: null };
  then("web", [{ device: "lab-1", nf_id: "web.router", latency_us: 40, p95_us: 90, most_us: 400, ...none }]);
  then("web-part-2", [
    { device: "lab-2", nf_id: "web-part-2.nids", latency_us: 60, p95_us: 310, most_us: 900, ...none },
  ]);
  const { container } = show(<PathThen chain={part(1)} at={AT} />);
  const rows = within(await screen.findByRole("table", { name: "Path of web then" })).getAllByRole("row");
  expect(rows.slice(1).map((row) => within(row).getAllByRole("cell")[1]?.textContent)).toEqual(["lab-1", "lab-2"]);
  expect(rows[2]?.textContent).toContain("slowest");
  expect(screen.getByText(/measured inside the packets, in 10 s/)).toBeTruthy();
  await expectAccessible(container);
});

it("says that nothing was measured then, which is not that it waits for an answer", async () => {
  live.receive({ type: "events", events: [snapshot({ chains: [chain("web")] })] });
  then("web", []);
  show(<PathThen chain={chain("web")} at={AT} />);
  expect(screen.getByText("Reading…")).toBeTruthy();
  expect(await screen.findByText("No hop was measured then.")).toBeTruthy();
});
