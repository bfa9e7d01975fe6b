/** What rules of an NF in the kernel have decided, beside the rules that the chain has. */

import { render, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { RuleCounts } from "@/chains/rule-counts";
import { type Rule, ruleWords } from "@/chains/rule-words";
import { thousands } from "@/lib/format";
import { chain, nf, nfSample } from "./fixtures";

const DNS: Rule = { action: "deny", protocol: "udp", dst_port: [53, 53] };
const one = (packets: number) => ({ packets, bytes: 100 * packets });

function rows(rules: readonly Rule[], counted: number[]): string[][] {
  const wall = { type: "nft-firewall", name: "wall", config: { rules }, cpu_share: null, cpu_quota_percent: null };
  const view = chain("web");
  const spec = { ...view.spec, nfs: [wall] };
  const rule_counts = { since: new Date().toISOString(), rules: counted.map(one), default: one(7) };
  const sample = nfSample("web.wall", { rule_counts });
  render(<RuleCounts chain={{ ...view, spec }} nfs={new Map([["web.wall", nf("web.wall", "h", 0, { sample })]])} />);
  const table = screen.getByRole("table", { name: "Rules of wall" });
  return within(table)
    .getAllByRole("row")
    .slice(1)
    .map((row) => [...row.children].map(({ textContent }) => textContent ?? ""));
}

describe("rules", () => {
  it("have words", () => {
    expect(ruleWords(DNS)).toBe("deny udp to port 53");
    expect(ruleWords({ action: "allow", src: "10.0.0.0/8", dst: "10.1.0.0/16", dst_port: [1, 9] })).toBe(
      "allow all from 10.0.0.0/8 to 10.1.0.0/16 to ports 1 – 9",
    );
  });

  it("show what each has decided, and what none has", () => {
    expect(rows([DNS], [1200])).toEqual([
      ["1", "deny udp to port 53", thousands(1200), "120 kB"],
      ["–", "allow what no rule matches", "7", "700 B"],
    ]);
  });

  it("say which are not reported one by one", () => {
    expect(rows(Array(70).fill(DNS), Array(64).fill(0)).at(-2)).toEqual([
      "65 – 70",
      "not reported one by one",
      "–",
      "–",
    ]);
  });

  it("have no words where the chain was changed and its host has not said so yet", () => {
    expect(rows([], [3]).at(0)).toEqual(["1", "–", "3", "300 B"]);
  });

  it("are not shown of NFs that do not count them", () => {
    const view = chain("web");
    const { container } = render(<RuleCounts chain={view} nfs={new Map()} />);
    expect(container.textContent).toBe("");
  });
});
