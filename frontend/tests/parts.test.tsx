/** Parts of a chain over several hosts: which chains they are, what enters and leaves, which hop is the slowest. */

import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ChainView, ChainWay, Part, PathHop } from "@/api/types";
import { partsOf, silentFor, slowestOf, wholeOf, wholeWay } from "@/chains/parts";
import { WholePath } from "@/chains/whole-path";
import { live } from "@/live/store";
import { chain, snapshot } from "./fixtures";
import { expectAccessible } from "./plan-page";

vi.mock("@tanstack/react-router", async (original) => ({
  ...(await original<object>()),
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
}));

const NOW = Date.parse("2026-11-21T10:00:00Z");
const NONE = { filtered_mpps: 0, p50_us: null, p95_us: null, p99_us: null, p999_us: null };

interface Carried {
  offered: number;
  delivered: number;
  hops: PathHop[];
  secondsAgo?: number;
  more?: Partial<NonNullable<ChainView["sample"]>>;
}

function part(number: number, host: string, nfs: string[], carried: Carried | null): ChainView {
  const name = number === 1 ? "web" : `web-part-${number}`;
  const plain = chain(name);
  const of: Part = { of: "web", number, count: 2, tag: 32769 };
  const sample = carried && {
    chain: name,
    ...NONE,
    offered_mpps: carried.offered,
    delivered_mpps: carried.delivered,
    drop_mpps: 0,
    path: carried.hops,
    ...carried.more,
  };
  const at = new Date(NOW - 1000 * (carried?.secondsAgo ?? 1)).toISOString();
  const spec = {
    ...plain.spec,
    nfs: nfs.map((nf) => ({ name: nf, type: nf, cpu_share: null, cpu_quota_percent: null })),
    ingress: { ...plain.spec.ingress, host },
  };
  return { ...plain, sample, sampled_at: carried && at, spec: { ...spec, part: of } };
}

const ROUTER = { device: "lab-1", nf_id: "web.router", latency_us: 40, p95_us: 90, most_us: 400 };
const NIDS = { device: "lab-2", nf_id: "web-part-2.nids", latency_us: 60, p95_us: 310, most_us: 900 };
const FIRST = part(1, "lab-1", ["router"], { offered: 0.01, delivered: 0.009, hops: [ROUTER] });
const SECOND = part(2, "lab-2", ["nids"], {
  offered: 0.009,
  delivered: 0.007,
  hops: [NIDS],
  more: { filtered_mpps: 0.002, p50_us: 150, p95_us: 480 },
});
const BOTH = partsOf([SECOND, chain("other"), FIRST], "web");

describe("parts of one chain", () => {
  it("are in the order in which packets pass, whoever else there is", () => {
    expect(BOTH.map((row) => row.chain.spec.name)).toEqual(["web", "web-part-2"]);
  });

  it("are all shown where packets enter, and by itself each of the others", () => {
    const names = (of: ChainView) => wholeOf(of, [SECOND, FIRST]).map(({ spec }) => spec.name);
    expect(names(FIRST)).toEqual(["web", "web-part-2"]);
    expect(names(SECOND)).toEqual(["web-part-2"]);
    expect(names(chain("other"))).toEqual(["other"]);
  });

  it("lose 0.01 - 0.007 - 0.002 filtered = 0.001 Mpps from the first host to the last", () => {
    const { lost, ...rest } = wholeWay(BOTH);
    expect(lost).toBeCloseTo(0.001, 9);
    expect(rest).toEqual({ entered: 0.01, left: 0.007, p50: 150, p95: 480 });
  });

  it("say nothing of what was lost while an end is not measured", () => {
    expect(wholeWay(partsOf([FIRST, part(2, "lab-2", ["nids"], null)], "web")).lost).toBeNull();
  });
});

describe("the slowest hop", () => {
  it("is that of all hosts", () => expect(slowestOf(BOTH, NOW)?.nf_id).toBe("web-part-2.nids"));

  it("is of hosts that are heard: figures older than 3 s say nothing", () => {
    const old = part(2, "lab-2", ["nids"], { offered: 0.009, delivered: 0.009, hops: [NIDS], secondsAgo: 4 });
    expect(silentFor(old, NOW)).toBe(4);
    expect(silentFor(SECOND, NOW)).toBeNull();
    expect(slowestOf(partsOf([FIRST, old], "web"), NOW)?.nf_id).toBe("web.router");
  });
});

describe("the section of a chain's page", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW, toFake: ["Date"] });
    live.receive({ type: "status", status: "open" });
    live.receive({ type: "events", events: [snapshot({ chains: [FIRST, SECOND, chain("other")] })] });
  });
  afterEach(() => {
    cleanup();
    vi.useRealTimers();
  });

  it("has a box a host, what goes between them, and all hops", async () => {
    const { container } = render(<WholePath part={{ of: "web", number: 1, count: 2 }} />);
    const picture = within(screen.getByRole("list", { name: "Hosts that packets pass, in order" }));
    const items = picture.getAllByRole("listitem").map((item) => item.textContent);
    expect(items[0]).toBe("in");
    expect(items.at(-1)).toBe("out");
    expect(picture.getByText("lab-1")).toBeTruthy();
    expect(picture.getByText("nids").parentElement?.textContent).toContain("slowest");
    expect(within(screen.getByRole("table", { name: "Path of web" })).getAllByRole("row")).toHaveLength(3);
    await expectAccessible(container);
  });

  it("has how long the link between hosts took, unless their clocks are apart", async () => {
    const shown = (p50_us: number | null, p95_us: number | null, secondsAgo = 0) => {
      const transits = [{ to: "web-part-2.nids", p50_us, p95_us }];
      const carried = { offered: 0.009, delivered: 0.009, hops: [NIDS], secondsAgo, more: { transits } };
      live.receive({ type: "events", events: [snapshot({ chains: [FIRST, part(2, "lab-2", ["nids"], carried)] })] });
      render(<WholePath part={{ of: "web", number: 1, count: 2 }} />);
    };
    shown(120, 400);
    expect(await screen.findAllByText("120 µs (p95 400 µs)"), "in the picture and in the table").toHaveLength(2);
    cleanup();
    shown(null, null);
    expect(await screen.findAllByText("clocks apart: NF latencies only")).toHaveLength(2);
    cleanup();
    shown(120, 400, 4);
    await waitFor(() => expect(screen.queryByText("Way to it")).toBeNull());
  });

  const WAY: ChainWay = {
    to: "web-part-2.nids",
    links: ["lab-2", "lab-3"],
    link: "lab-3",
    state: "other",
    since: new Date(NOW - 300_000).toISOString(),
    why: "lab-2 has no carrier",
  };
  const led = (way: ChainWay, secondsAgo = 0) => {
    const carried = { offered: 0.01, delivered: 0.009, hops: [ROUTER], secondsAgo, more: { ways: [way] } };
    live.receive({ type: "events", events: [snapshot({ chains: [part(1, "lab-1", ["router"], carried), SECOND] })] });
  };
  const wayRow = async () =>
    within(await screen.findByRole("table", { name: "Links that web takes" })).getAllByRole("row")[1];

  it("has the link that each host takes, since when, and why", async () => {
    led(WAY);
    const { container } = render(<WholePath part={{ of: "web", number: 1, count: 2 }} />);
    const text = (await wayRow())?.textContent;
    expect(text).toMatch(/^lab-1web-part-2\.nidslab-3lab-2, lab-3led round: lab-2 has no carrier5 min/);
    expect(screen.queryByText(/Cut on the way/)).toBeNull();
    await expectAccessible(container);
  });

  it("says above all figures where no link is left", async () => {
    led({ ...WAY, state: "cut", why: "none of lab-2, lab-3 has a carrier" });
    render(<WholePath part={{ of: "web", number: 1, count: 2 }} />);
    expect(await screen.findByText(/Cut on the way from lab-1/)).toBeTruthy();
    expect((await wayRow())?.textContent).toContain("cut, packets are lost: none of lab-2, lab-3 has a carrier");
  });

  it("calls stale what a silent host said last", async () => {
    led({ ...WAY, state: "cut" }, 10);
    render(<WholePath part={{ of: "web", number: 1, count: 2 }} />);
    await waitFor(async () => expect((await wayRow())?.textContent).toContain("(stale)"));
    expect(screen.queryByText(/Cut on the way/)).toBeNull();
  });

  it("has no such table where no host leads on", async () => {
    render(<WholePath part={{ of: "web", number: 1, count: 2 }} />);
    await waitFor(() => expect(screen.queryByRole("table", { name: "Links that web takes" })).toBeNull());
  });

  it("says that a part is missing", () => {
    render(<WholePath part={{ of: "web", number: 1, count: 3 }} />);
    expect(screen.getByText(/1 of 3 parts are missing/)).toBeTruthy();
  });
});
