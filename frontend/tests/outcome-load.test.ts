/** Offered before and after a change: said only where it differs. */
import { expect, it } from "vitest";
import type { MoveOutcome } from "@/api/types";
import { otherLoad } from "@/operations/outcome-load";

type Chain = MoveOutcome["chains"][number];

function chain(before: number | null, after: number | null): Chain {
  return { chain: "web", before_gbps: 5, after_gbps: 6, offered_before_gbps: before, offered_after_gbps: after };
}

it("is said of all chains together, where it differs by more than a hundredth", () => {
  // 5.8 + 4.5 = 10.3 before, 5.8 + 0.6 = 6.4 after.
  expect(otherLoad({ chains: [chain(5.8, 5.8), chain(4.5, 0.6)] })).toBe("; offered 6.4 Gbps, 10.3 before");
  expect(otherLoad({ chains: [chain(5.8, 5.81), chain(0.6, 0.6)] })).toBe("");
});

it("is nothing where it was not measured of a chain, or of none", () => {
  expect(otherLoad({ chains: [chain(5.8, 3), chain(null, 0.6)] })).toBe("");
  expect(otherLoad({ chains: [] })).toBe("");
});
