import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { AlgorithmRank, Race, RaceEntry, RaceRanking } from "@/api/types";
import { RankingTable } from "@/comparisons/ranking-table";
import {
  bestText,
  emptyRanking,
  entryNote,
  marginInterval,
  marginRange,
  marginText,
  raceNote,
  rankingNote,
} from "@/recommendations/race-words";
import { AT } from "./fixtures";

const entry = (change: Partial<RaceEntry> = {}): RaceEntry => ({
  algorithm: "node_first",
  error: null,
  left_out: [],
  predicted_mpps: 6.56,
  provenance: "assumed",
  later_mpps: 5.9,
  low_mpps: 5.5,
  high_mpps: 6.3,
  later_provenance: "predicted",
  margin_percent: -27.2,
  moves: 0,
  differs: 1,
  seconds: 0.02,
  chains: [],
  ...change,
});

const race = (change: Partial<Race> = {}): Race => ({
  id: 1,
  state: "planning",
  why: null,
  begun_by: "apply",
  plan_id: 7,
  plan_state: "applied",
  hosts: ["r2-03"],
  host_models: ["xeon-2x16"],
  predicted_mpps: 9,
  provenance: "assumed",
  measured_mpps: 8.1,
  measured_provenance: "simulated",
  entries: [entry()],
  waiting: ["node_balance"],
  deadline_at: AT,
  created_at: AT,
  ...change,
});

const rank = (change: Partial<AlgorithmRank> = {}): AlgorithmRank => ({
  algorithm: "exact",
  races: 3,
  predicted: 1,
  wins: 2,
  failed: 0,
  margin_percent: 1.5,
  low_percent: -0.25,
  high_percent: 3.25,
  seconds: 0.04,
  ...change,
});

const ranking = (change: Partial<RaceRanking> = {}): RaceRanking => ({
  host_model: null,
  host_models: [],
  scored: 0,
  open: 0,
  ended: 0,
  wanted: true,
  provenance: null,
  ranks: [],
  ...change,
});

describe("a race in words", () => {
  it("says who is waiting", () => {
    expect(raceNote(race())).toBe("1 other algorithm on the same snapshot, 1 waiting");
    expect(raceNote(race({ waiting: [] }))).toBe("1 other algorithm on the same snapshot");
  });

  it("writes margins with their sign, and nothing as nothing", () => {
    expect([1.5, -0.04, 0.001, -12.3, null].map(marginText)).toEqual(["+1.5 %", "−0.04 %", "0 %", "−12.3 %", "–"]);
    expect(marginInterval(rank())).toBe("[−0.25 %, +3.3 %]");
    expect(marginInterval(rank({ low_percent: null }))).toBe("");
    expect(marginInterval(rank({ predicted: 0, margin_percent: 0, low_percent: 0, high_percent: 0 }))).toBe("");
  });

  it("names the best, or says that all are alike", () => {
    const [a, b, c] = [
      entry({ algorithm: "exact", margin_percent: 1.2 }),
      entry({ algorithm: "anytime", margin_percent: 1.2 }),
      entry(),
    ];
    expect(bestText(race({ entries: [a, b, c] }))).toBe("exact, anytime, +1.2 %");
    expect(bestText(race({ entries: [a, b] }))).toBe("all alike, +1.2 %");
    expect(bestText(race({ entries: [entry({ margin_percent: null })] }))).toBe("");
  });

  it("says why an entry is not as the others", () => {
    expect(entryNote(entry({ error: "3 workers died while it planned", left_out: ["web"] }))).toBe(
      "3 workers died while it planned",
    );
    expect(entryNote(entry({ left_out: ["web", "mail"] }))).toBe("no room for web, mail");
    expect(entryNote(entry())).toBe("");
  });
});

describe("the ranking", () => {
  it("says why it is empty, and what would fill it", () => {
    expect(emptyRanking(ranking())).toBe(
      "No races yet: one starts with every applied plan that places or moves an NF.",
    );
    expect(emptyRanking(ranking({ wanted: false, host_model: "xeon" }))).toBe(
      "No races with hosts of xeon: they are switched off in the policy.",
    );
    expect(emptyRanking(ranking({ open: 2 }))).toMatch(/^2 races started, none scored yet/);
  });

  it("counts what is scored, open and over", () => {
    expect(rankingNote(ranking({ scored: 1 }))).toBe("1 race scored");
    expect(rankingNote(ranking({ scored: 3, open: 1, ended: 2 }))).toBe(
      "3 races scored, 1 open, 2 ended without a score",
    );
  });

  it("draws all on one scale that holds what ran", () => {
    const { from, to } = marginRange([rank({ margin_percent: 2, low_percent: 1, high_percent: 3 })]);
    expect(from).toBeLessThan(0);
    expect(to).toBeGreaterThan(3);
    expect(marginRange([])).toEqual({ from: -0.1, to: 0.1 });
  });

  it("shows an algorithm that never was judged without a margin", () => {
    render(
      <RankingTable
        ran="simulated"
        sort={undefined}
        onSort={() => {}}
        ranks={[
          rank({ algorithm: "anytime", predicted: 0, margin_percent: 0 }),
          rank(),
          rank({
            algorithm: "node_first",
            races: 0,
            predicted: 0,
            wins: 0,
            failed: 3,
            margin_percent: null,
            low_percent: null,
          }),
        ]}
      />,
    );
    const [asItRan, first, second] = screen.getAllByRole("row").slice(1);
    expect(within(asItRan as HTMLElement).getByRole("img", { name: "simulated" })).toBeTruthy();
    expect(within(first as HTMLElement).getByRole("img", { name: "predicted" })).toBeTruthy();
    expect(within(first as HTMLElement).getByText("+1.5 %")).toBeTruthy();
    expect(first?.textContent).toContain("2 of 3");
    expect(first?.querySelector("svg")).not.toBeNull();
    expect(second?.textContent).toContain("–");
    expect(second?.querySelector("svg")).toBeNull();
    expect(second?.textContent).toContain("3");
  });

  it("is sorted by its heads, and what was never judged comes last either way", async () => {
    const asked: (string | undefined)[] = [];
    const ranks = [
      rank({ algorithm: "octans", margin_percent: 1, seconds: 3 }),
      rank({ algorithm: "node_first", margin_percent: null }),
      rank({ algorithm: "anytime", margin_percent: 4, seconds: 1 }),
    ];
    const drawn = (sort: string | undefined) => (
      <RankingTable ran="measured" ranks={ranks} sort={sort} onSort={(next) => asked.push(next)} />
    );
    const names = () =>
      screen
        .getAllByRole("row")
        .slice(1)
        .map((row) => row.children[0]?.textContent);
    const { rerender } = render(drawn(undefined));
    expect(names()).toEqual(["octans", "node_first", "anytime"]);
    await userEvent.click(screen.getByRole("button", { name: "Mean margin over the applied plan" }));
    expect(asked).toEqual(["-margin"]);
    rerender(drawn("-margin"));
    expect(names()).toEqual(["anytime", "octans", "node_first"]);
    rerender(drawn("margin"));
    expect(names()).toEqual(["octans", "anytime", "node_first"]);
  });
});
