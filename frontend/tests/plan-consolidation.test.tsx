/** What could share a core on a plan's host: asked for by a button, and nothing is planned. */
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";

const wire = await vi.hoisted(() => import("./wire"));

import type { Consolidation } from "@/api/types";
import { PlanConsolidation, summaryOf, withInterval } from "@/plans/plan-consolidation";
import { fullPlan, planBody } from "./fixtures";
import { expectAccessible, show } from "./plan-page";

const found: Consolidation = {
  host: "edge-1",
  slots: null,
  freed: [0, 2],
  proven: true,
  moves: 2,
  delayed_before: 4,
  delayed: 0,
  delays: { same_core: 0, same_node: 1, other_node: 2, measured: false },
  full_percent: 90,
  cores: [
    { core: 0, node: 0, nf_ids: [], before_percent: 20, nfs_percent: 0, others_percent: 0 },
    { core: 1, node: 0, nf_ids: ["web.a", "web.b"], before_percent: 40, nfs_percent: 70, others_percent: 3.6 },
  ],
  chains: [
    {
      chain: "web",
      before_mpps: 2,
      before_low_mpps: 1.8,
      before_high_mpps: 2.2,
      mpps: 1.9,
      low_mpps: null,
      high_mpps: null,
    },
  ],
  note: null,
};

beforeEach(() => {
  wire.sent.length = 0;
  wire.answers.clear();
});

it("says what is freed, by how many moves, and what it would take first", () => {
  expect(summaryOf(found)).toBe(
    "2 moves would free cores 0, 2. No fewer cores suffice. From core to core pass 0 Mpps × hops, now 4.0.",
  );
  expect(summaryOf({ ...found, freed: [2], moves: 1, proven: false, slots: 4 })).toBe(
    "1 move would free core 2. Fewer may suffice. Its cores would have to take 4 NFs each first. From core to core pass 0 Mpps × hops, now 4.0.",
  );
  expect(summaryOf({ ...found, note: "it runs no NF" })).toBe("Nothing can be freed: it runs no NF.");
  expect(withInterval(2, 1.8, 2.2)).toBe("2.0 (1.8 to 2.2)");
  expect(withInterval(null, null, null)).toBe("–");
});

it("asks once somebody wants it, and shows cores and chains", async () => {
  const body = planBody({ base: [{ host: "edge-1", generation: 3, digest: `sha256:${"0".repeat(64)}` }] });
  const plan = fullPlan();
  wire.answers.set(`GET /plans/${plan.id}/consolidation?host=edge-1`, { status: 200, body: found });
  const { container } = show(<PlanConsolidation plan={plan} body={body} />);
  expect(wire.sent).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Preview fewer cores" }));
  const cores = within(await screen.findByRole("table", { name: "Fewer cores of edge-1" })).getAllByRole("row");
  expect(cores.map(({ textContent }) => textContent).slice(1)).toEqual(["0200freed", "14070web.a, web.b"]);
  expect(screen.getByText("1.9 (no interval)")).toBeTruthy();
  await expectAccessible(container);
});
