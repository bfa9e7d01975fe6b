/** A plan by CoCo: what shared cores need and pass on. */
import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { CompactEvidence, HostEvidence } from "@/api/types";
import { CompactSections, sentenceOf } from "@/plans/compact";
import { EvidenceSection } from "@/plans/evidence";
import { fullPlan, planBody } from "./fixtures";
import { expectAccessible, show } from "./plan-page";

const compact: CompactEvidence = {
  delayed: 3,
  automatic: 6,
  moves: 1,
  move_price: 3,
  cost: 6,
  bound: 6,
  delays: { same_core: 0, same_node: 1, other_node: 2, measured: false },
  full_percent: 90,
  cores: [
    { core: 0, node: 0, before_percent: 0, nfs_percent: 90, others_percent: 0 },
    { core: 1, node: 0, before_percent: 120, nfs_percent: 95, others_percent: 4 },
  ],
  hops: [
    { chain: "web", source: "web.a", target: "web.b", rate_mpps: 3, distance: "same_core" },
    { chain: "web", source: "web.b", target: "web.c", rate_mpps: 3, distance: "same_node" },
  ],
  chains: [{ chain: "web", mpps: 3, automatic_mpps: null }],
};
const host: HostEvidence = {
  host: "edge-1",
  algorithm: "coco",
  predictor: "octans",
  candidates: [],
  improved: false,
  status: "optimal",
  score: -6,
  bound: -6,
  evaluations: 0,
  trusted: false,
  compact,
};

it("says what is proved, what moves count, and that hops were not measured", () => {
  expect(sentenceOf(host, compact)).toBe(
    "Proved: no placement of these chains costs less. Counted in: 1 move at 3.0 each. By the automatic choice: 6.0. A hop to another core counts 1, to another node 2 (assumed, not measured here).",
  );
  const found = sentenceOf(
    { status: "feasible" },
    {
      ...compact,
      bound: 4.5,
      moves: 0,
      automatic: null,
      delays: { same_core: 7.9, same_node: 12.917, other_node: 20, measured: true },
    },
  );
  expect(found).toBe(
    "Nothing costs less than 4.5; this costs 6.0. A hop to another core counts 12.9 us, to another node 20.0 us, on its core 7.9 us (measured).",
  );
});

it("leaves out cores on which nothing is needed, and says how many", () => {
  const idle = { node: 0, before_percent: 0, nfs_percent: 0, others_percent: 0 };
  const cores = [...compact.cores, { core: 2, ...idle }, { core: 3, ...idle }];
  const body = planBody({}, { hosts: [{ ...host, compact: { ...compact, cores } }] });
  show(<CompactSections evidence={body.evidence} />);
  const rows = within(screen.getByRole("table", { name: "Shared cores of edge-1" })).getAllByRole("row");
  expect(rows).toHaveLength(4); // the head, cores 0 and 1, and all others
  expect(rows[3]?.textContent).toBe("2 other cores need nothing, before and after");
});

it("shows cores, hops and chains of each host that was placed so, and of no other", async () => {
  const other: HostEvidence = { ...host, host: "edge-2", compact: null };
  const body = planBody({}, { algorithm: "coco", status: "optimal", hosts: [host, other] });
  const { container } = show(<CompactSections evidence={body.evidence} />);
  const cores = within(screen.getByRole("table", { name: "Shared cores of edge-1" })).getAllByRole("row");
  expect(cores.map(({ textContent }) => textContent).slice(1)).toEqual(["00900", "1120954.0"]);
  expect(screen.getByText("1 of 2 hops stay on a core")).toBeTruthy();
  expect(screen.getByText("web.b → web.c: 3.0 Mpps, another core")).toBeTruthy();
  const chains = screen.getByRole("table", { name: "Predicted, beside the automatic choice" });
  expect(within(chains).getAllByRole("row")[1]?.textContent).toBe("web3.0–");
  expect(container.textContent).not.toContain("edge-2");
  await expectAccessible(container);
});

it("says nothing of placements tried, which CoCo's search does not count", () => {
  const body = planBody({}, { algorithm: "coco", status: "optimal", hosts: [host] });
  const { container } = show(<EvidenceSection plan={fullPlan()} body={body} />);
  expect(container.textContent).not.toContain("Tried");
});
