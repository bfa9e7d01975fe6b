/** What is said of the kinds of a network's last exam. */

import { describe, expect, it } from "vitest";
import { kindsText } from "@/studies/kinds/school/summary";
import { REPORT } from "./networks-fixtures";

const cost = { host: "edge-1", version: 3, digest: `sha256:${"0".repeat(64)}` };
const byCost = { ...REPORT.curve, cost };
const of = (kinds: string[], known: string[]) => ({ curve: byCost, exam: { ...REPORT.exam, kinds, known } });

describe("kinds of the last exam", () => {
  it("were never shown where games go by the ideal model", () => {
    expect(kindsText(REPORT)).toBe("kinds that it was never shown");
  });

  it("are those that the cost of its games does not know", () => {
    expect(kindsText(of(["router"], []))).toBe("kinds that it was never shown");
    expect(kindsText(of(["router"], ["nat"]))).toBe("kinds that it was never shown, without nat, which its cost knows");
  });

  it("are all known where the cost knows all", () => {
    expect(kindsText(of(["nat"], ["nat"]))).toContain("none is held out");
  });

  it("were not looked at in exams of before", () => {
    expect(kindsText({ exam: REPORT.exam, curve: byCost })).toContain("its cost may know some");
  });
});
