/** Lanes of a chain: which chains they are, what they carry in all, and what is said where flows have none, or two. */

import { render, screen, within } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ChainView, Lane } from "@/api/types";
import { ChainLanes } from "@/chains/chain-lanes";
import { laneFaults, laneShare, lanesOf, laneTotal } from "@/chains/lanes";
import { trafficWords } from "@/chains/traffic-words";
import { live } from "@/live/store";
import { chain, snapshot } from "./fixtures";

vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
}));

const ZERO = { drop_mpps: 0, filtered_mpps: 0, p50_us: null, p95_us: null, p99_us: null, p999_us: null };

function lane(name: string, number: number, weights: number[], carried: number | null = null): ChainView {
  const plain = chain(name);
  const of: Lane = { of: "web", number, weights };
  const sample = carried === null ? null : { chain: name, ...ZERO, offered_mpps: carried, delivered_mpps: carried };
  return { ...plain, sample, spec: { ...plain.spec, traffic: { ...plain.spec.traffic, lane: of } } };
}

const FIRST = lane("web", 1, [3, 1], 1.5);
const SECOND = lane("web-lane-2", 2, [3, 1], 0.5);
const BOTH = lanesOf([SECOND, chain("other"), FIRST], "web");

describe("lanes of one chain", () => {
  it("are in order, whoever else there is", () => {
    expect(BOTH.map((row) => row.chain.spec.name)).toEqual(["web", "web-lane-2"]);
    expect(lanesOf([FIRST], "other")).toEqual([]);
  });

  it("have shares by weight: 3 of 4 and 1 of 4", () => {
    expect(BOTH.map((row) => laneShare(row.lane))).toEqual([75, 25]);
  });

  it("carry 1.5 + 0.5 Mpps in all, and nobody knows how much where one is not measured", () => {
    expect(laneTotal(BOTH)).toEqual({ offered: "2.0", delivered: "2.0", dropped: "0" });
    expect(laneTotal([...lanesOf([FIRST, lane("web-lane-2", 2, [3, 1])], "web")]).delivered).toBe("–");
  });

  it("are said in a chain's traffic", () => {
    expect(trafficWords(SECOND.spec.traffic)).toContain("lane 2 of 2 of web");
    expect(trafficWords(chain("plain").spec.traffic)).not.toContain("lane");
  });
});

describe("a lane over several hosts", () => {
  const second = (carried: number | null): ChainView => {
    const plain = lane("web-part-2", 1, [3, 1], carried);
    return { ...plain, spec: { ...plain.spec, part: { of: "web", number: 2, count: 2 } } };
  };
  const first = { ...FIRST, spec: { ...FIRST.spec, part: { of: "web", number: 1, count: 2 } } };

  it("is one, offered what enters and carrying what leaves: 1.5 and 1.2 Mpps, with the other 2.0 and 1.7", () => {
    const rows = lanesOf([second(1.2), SECOND, first], "web");
    expect(rows.map(({ parts }) => parts.map(({ spec }) => spec.name))).toEqual([
      ["web", "web-part-2"],
      ["web-lane-2"],
    ]);
    expect(laneFaults(rows)).toEqual([]);
    expect(laneTotal(rows)).toEqual({ offered: "2.0", delivered: "1.7", dropped: "0" });
    expect(laneTotal(lanesOf([second(null), SECOND, first], "web")).delivered).toBe("–");
  });
});

describe("flows", () => {
  const faults = (...chains: ChainView[]) => laneFaults(lanesOf(chains, "web"));

  it("have one lane each where none is missing", () => expect(faults(FIRST, SECOND)).toEqual([]));

  it("have none where a lane is missing", () =>
    expect(faults(FIRST)).toEqual(["Lane 2 is missing: nobody sends its flows."]));

  it("have two where a number is given twice", () =>
    expect(faults(FIRST, SECOND, lane("copy", 2, [3, 1]))).toEqual([
      "copy and web-lane-2 are both lane 2: its flows are sent twice.",
    ]));

  it("have two, or none, where weights differ", () =>
    expect(faults(FIRST, lane("web-lane-2", 2, [1, 1]))).toEqual([
      "They divide flows by different weights: 3 : 1, 1 : 1. Give all the same.",
    ]));
});

describe("the section of a chain's page", () => {
  beforeEach(() => {
    live.receive({ type: "status", status: "open" });
    live.receive({ type: "events", events: [snapshot({ chains: [FIRST, SECOND, chain("other")] })] });
  });

  it("has a row a lane, and all of them together", () => {
    render(<ChainLanes lane={{ of: "web", number: 1, weights: [3, 1] }} />);
    const rows = within(screen.getByRole("table", { name: "Lanes of web" })).getAllByRole("row");
    expect(rows.map((row) => row.textContent)).toEqual([
      "LaneStateHostsShare, %Offered, MppsCarried, MppsDrops, Mpps",
      expect.stringContaining("web"),
      expect.stringContaining("web-lane-2"),
      "All lanes2.02.00",
    ]);
    expect(rows[1]?.textContent).toContain("75");
  });
});
