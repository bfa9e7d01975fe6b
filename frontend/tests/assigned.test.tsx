/** A plan by an assigner of sfc2cpu: what shared cores are asked for, and what an ideal host serves. */
import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { AssignedEvidence, HostEvidence } from "@/api/types";
import { AssignedSections, assignedText, costUsedText, networkUsedText } from "@/plans/assigned";
import { planBody } from "./fixtures";
import { expectAccessible, show } from "./plan-page";

const assigned: AssignedEvidence = {
  fullest_percent: 105,
  bound_percent: 105,
  served_mpps: 2.77,
  bound_mpps: null,
  offered_mpps: 3,
  usable_percent: 97,
  moves: 0,
  most_moves: 0,
  cores: [
    { core: 0, node: 0, before_percent: 30, nfs_percent: 30, others_percent: 2 },
    { core: 1, node: 0, before_percent: 0, nfs_percent: 105, others_percent: 0 },
  ],
  chains: [{ chain: "web", mpps: 2.9, automatic_mpps: 3 }],
};
const host: HostEvidence = {
  host: "edge-1",
  algorithm: "min_max",
  predictor: "octans",
  candidates: [],
  improved: false,
  status: "optimal",
  score: -105,
  bound: -105,
  evaluations: 0,
  trusted: false,
  assigned,
};

it("says what is proved, what is served, and what moves", () => {
  expect(assignedText(host, assigned)).toBe(
    "Proved: no assignment asks its fullest core for less. An ideal host serves 2.8 of 3.0 Mpps. Nothing that runs moves.",
  );
  expect(
    assignedText({ status: "feasible" }, { ...assigned, bound_percent: null, bound_mpps: 3, moves: 2, most_moves: 3 }),
  ).toBe("No assignment serves more than 3.0 Mpps. An ideal host serves 2.8 of 3.0 Mpps. 2 moves, 3 allowed.");
});

it("names the fitted costs that a plan goes by: version, age and error", () => {
  const cost = {
    version: 3,
    fitted_at: "2026-11-29T13:00:00Z",
    age_s: 7200,
    left_out_error: 0.054,
    guessed: ["nat"],
  };
  expect(costUsedText(cost)).toBe(
    "What cores are asked for is by fitted costs, version 3, 2 h old when the plan was made; up to 5.4 % off in nine of ten of what the fit did not use. It does not know nat: the upper quartile of the others counts.",
  );
  expect(assignedText(host, { ...assigned, cost })).toContain(
    "By costs that were fitted here 2.8 of 3.0 Mpps are served.",
  );
});

it("names the network that chose", async () => {
  const weights = `sha256:664f30a36add${"0".repeat(52)}`;
  const network = { weights, steps: 61_051, cores: 4, promoted_at: "2026-11-29T15:00:00Z" };
  expect(networkUsedText(network)).toMatch(
    /^Chosen by network 664f30a36add, trained for 61.051 steps, for hosts with 4/,
  );
  const body = planBody(
    {},
    { algorithm: "network", status: "feasible", hosts: [{ ...host, assigned: { ...assigned, network } }] },
  );
  show(<AssignedSections evidence={body.evidence} />);
  expect(screen.getByText(/^Chosen by network 664f30a36add/)).toBeTruthy();
});

it("shows what cores are asked for, and warns of one that cannot give it", async () => {
  const body = planBody({}, { algorithm: "min_max", status: "optimal", hosts: [host] });
  const { container } = show(<AssignedSections evidence={body.evidence} />);
  const cores = screen.getByRole("table", { name: "Shared cores of edge-1" });
  expect(within(cores).getAllByRole("row")).toHaveLength(3);
  expect(cores.querySelectorAll("b.warn")).toHaveLength(1);
  expect(screen.getByRole("table", { name: "Predicted, beside the automatic choice" })).toBeTruthy();
  await expectAccessible(container);
});
