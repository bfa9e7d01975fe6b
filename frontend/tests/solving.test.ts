import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_SOLVING } from "@/api/defaults";
import type { Doubt, Evidence, HostEvidence, ModelUse } from "@/api/types";
import { draftOf, readSolving, solvingText } from "@/plans/solving";
import {
  byHostText,
  doubtOf,
  doubtOfHost,
  gapOf,
  gapText,
  isProvedByHost,
  type PlanPredictor,
  predictorsOf,
  proofText,
  statusText,
  verdictText,
} from "@/plans/status";
import { cli } from "@/session/cli";

const draft = draftOf(DEFAULT_SOLVING);

describe("how a plan shall be found", () => {
  it("comes back from the form as it went in", () => {
    const asked = { algorithm: "octans", time_limit_s: 2.5, seed: 7, max_moves: 3 } as const;
    expect(readSolving(draftOf(asked), asked.seed).solving).toEqual(asked);
    expect(readSolving(draft).solving).toEqual(DEFAULT_SOLVING);
  });

  it("names the field that is not right, and gives no value then", () => {
    for (const timeLimit of ["", "soon", "-1", "601", "Infinity"]) {
      const { solving, errors } = readSolving({ ...draft, timeLimit });
      expect([solving, Object.keys(errors)]).toEqual([null, ["time_limit_s"]]);
    }
    for (const maxMoves of ["-1", "1.5", "many", "1000001"]) {
      expect(Object.keys(readSolving({ ...draft, maxMoves }).errors)).toEqual(["max_moves"]);
    }
    expect(readSolving({ ...draft, timeLimit: "0", maxMoves: "0" }).solving).toMatchObject({
      time_limit_s: 0,
      max_moves: 0,
    });
  });

  it("is a command that names only what differs from the defaults", () => {
    const intent = { kind: "replace" as const, host: null }; // as the console answers where no chain is kept
    const bare = cli.askPlan(intent, DEFAULT_SOLVING);
    expect(bare).not.toContain("--algorithm");
    const asked = { algorithm: "exact", time_limit_s: 60, seed: 0, max_moves: 2 } as const;
    expect(cli.askPlan(intent, asked)).toBe(`${bare} --algorithm exact --time-limit 60 --max-moves 2`);
    expect(solvingText(asked)).toBe("exact, 60 s, at most 2 moves");
  });
});

describe("what is known of the quality", () => {
  it("is the distance to the bound, relative to it", () => {
    expect(gapOf({ score: 348.6, bound: 350 })).toBeCloseTo(0.004); // 1.4 / 350
    expect(gapOf({ score: 5, bound: 5 - 1e-12 })).toBe(0); // rounding never makes a plan better than its bound
    expect(gapOf({ score: 5, bound: null })).toBeNull();
    expect(gapOf({ score: -2, bound: -1 })).toBe(1); // prices may make scores negative
  });

  it("doubts what rests on models that were never tested, did not hold, or predict nothing", () => {
    const use = (trust?: ModelUse["trust"]) =>
      ({ nf_type: "nids", host_model: "m", version: "fit-1", trust }) as ModelUse;
    const predicted = [{ trusted: true }] as HostEvidence[];
    const doubt = (models: ModelUse[], hosts = predicted) => doubtOf({ models, hosts });
    expect(doubt([use(), use("untested")])).toBe("untested");
    expect(doubt([use("trusted")], [{ trusted: false } as HostEvidence])).toBe("untested");
    expect(doubt([], [])).toBe("untested");
    expect(doubt([use("trusted"), use("distrusted")])).toBe("distrusted");
    expect(doubt([use("trusted"), use()])).toBeNull();
    expect(doubt([], predicted)).toBeNull();
    // A host knows its own models; plans of an earlier version only that nothing of the whole was tested.
    expect(doubtOfHost({ doubt: "untested" }, null)).toBe("untested");
    expect([doubtOfHost({}, "untested"), doubtOfHost({}, "distrusted")]).toEqual(["untested", null]);
  });

  it("is said in the words that commands use, too", () => {
    const cases: { status: Evidence["status"]; doubt: Doubt | null; text: string }[] = JSON.parse(
      readFileSync("../docs/contracts/verdicts.json", "utf8"),
    );
    expect(cases.length).toBeGreaterThan(4);
    for (const { status, doubt, text } of cases) expect(verdictText(status, doubt)).toBe(text);
  });

  it("names whose figures a proof is of, in the words that commands use, too", () => {
    const cases: { status: Evidence["status"]; doubt: Doubt | null; predictors: PlanPredictor[]; text: string }[] =
      JSON.parse(readFileSync("../docs/contracts/proofs.json", "utf8"));
    expect(cases.length).toBeGreaterThan(4);
    for (const { status, doubt, predictors, text } of cases) expect(proofText(status, doubt, predictors)).toBe(text);
    const host = { trusted: true, algorithm: "exact" } as HostEvidence;
    expect(predictorsOf({ hosts: [{ ...host, predictor: "curves" }, host] })).toEqual(["octans", "curves"]);
    expect(predictorsOf({ hosts: [{ ...host, predictor: "gaussian-process" }] })).toEqual(["gaussian-process"]);
    expect(
      predictorsOf({
        hosts: [
          { ...host, trusted: false },
          { ...host, algorithm: null },
        ],
      }),
    ).toEqual([]);
  });

  it("says it in words, and never 'proved' of what is not", () => {
    expect(statusText("optimal", 0, null, ["octans"])).toBe("optimal under Octans' equations, proved");
    expect(statusText("optimal", 0, "untested", ["octans"])).toBe("best under untested models");
    expect(byHostText(null, ["octans"])).toBe("every host optimal under Octans' equations, choice of hosts not proved");
    expect(byHostText("untested", ["octans"])).toBe(
      "every host best under untested models, choice of hosts not proved",
    );
    expect(statusText("feasible", 0.004, null, ["curves"])).toBe(
      "best found under pressure curves, within 0.4 % of the bound",
    );
    expect(statusText("feasible", 0, null, [])).toBe("best found, meets the bound");
    expect(statusText("feasible", null, "untested", [])).toBe("best found, no bound known");
    const optimal = { status: "optimal" } as HostEvidence;
    expect(isProvedByHost({ status: "feasible", hosts: [optimal, optimal] })).toBe(true);
    expect(isProvedByHost({ status: "feasible", hosts: [optimal] })).toBe(false);
    expect(isProvedByHost({ status: "feasible", hosts: [optimal, { ...optimal, status: "feasible" }] })).toBe(false);
    expect(["0 %", "<0.01 %", "0.05 %", "12 %"]).toEqual([0, 0.00001, 0.0005, 0.12].map(gapText));
  });
});
