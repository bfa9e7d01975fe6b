/** CPU quotas that a chain's host sets by itself: as reported, live, and typed. */

import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { BoundedNf, ChainView, QuotaChange } from "@/api/types";
import { adjustmentOf } from "@/chains/adjust";
import { AdjustNfs } from "@/chains/adjust-nfs";
import { ChainQuotas } from "@/chains/chain-quotas";
import { EMPTY, reduce } from "@/live/state";
import { adjustOptions } from "@/session/cli-chains";
import { batch, chain, host, snapshot } from "./fixtures";

const PLAIN = chain("web");
const BOUNDS = { max_p95_us: 5000, least_percent: 10, most_percent: 80 };
const WEB: ChainView = { ...PLAIN, spec: { ...PLAIN.spec, quota_bounds: BOUNDS } };
const NF: BoundedNf = {
  nf_id: "web.router",
  chain: "web",
  quota_percent: 45,
  p95_us: 700,
  max_p95_us: 5000,
  state: "well",
};
const CHANGE: QuotaChange = {
  at: "2026-03-01T10:00:00Z",
  nf_id: "web.router",
  reason: "raised",
  before_percent: 30,
  after_percent: 45,
  cause: "p95 9 ms > 5 ms in 2 windows running",
  took_us: 1700,
};

afterEach(cleanup);

describe("quotas that a host sets by itself", () => {
  it("are shown with cause, before and after, newest first", () => {
    const earlier = { ...CHANGE, at: "2026-03-01T09:59:59Z", before_percent: 20, after_percent: 30 };
    render(<ChainQuotas chain={{ ...WEB, bounded_nfs: [NF], quota_changes: [earlier, CHANGE] }} />);
    const [now, changes] = screen.getAllByRole("table") as [HTMLElement, HTMLElement];
    expect(within(now).getByRole("row", { name: /web\.router 45 %/ }).textContent).toContain("within it");
    const rows = within(changes).getAllByRole("row").slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringContaining("30 % → 45 %"),
      expect.stringContaining("20 % → 30 %"),
    ]);
    expect(rows[0]?.textContent).toContain("p95 9 ms > 5 ms in 2 windows running");
  });

  it("name ways and bandwidth where bounds are of them, and what their host does not give", () => {
    const bounds = { ...BOUNDS, least_ways: 2, most_ways: 6, least_bandwidth_percent: 20 };
    const spec = { ...PLAIN.spec, quota_bounds: bounds };
    const given: BoundedNf = { ...NF, llc_ways: 3 };
    const without: BoundedNf = { ...NF, nf_id: "web.nat", not_given: "LLC ways not given: no resctrl" };
    const change: QuotaChange = {
      ...CHANGE,
      resource: "llc-ways",
      before_percent: 0,
      after_percent: 27.3,
      before_ways: 0,
      after_ways: 3,
    };
    render(<ChainQuotas chain={{ ...WEB, spec, bounded_nfs: [given, without], quota_changes: [CHANGE, change] }} />);
    const [now, changes] = screen.getAllByRole("table") as [HTMLElement, HTMLElement];
    expect(within(now).getByRole("row", { name: /web\.router 45 % 3 100 %/ })).toBeTruthy();
    expect(within(now).getByRole("row", { name: /web\.nat 45 % shared 100 %/ }).textContent).toContain(
      "within it; LLC ways not given: no resctrl",
    );
    const rows = within(changes).getAllByRole("row").slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      expect.stringContaining("LLC waysshared → 3"),
      expect.stringContaining("CPU quota30 % → 45 %"),
    ]);
  });

  it("stand where a quota is asked for, instead of the whole core", () => {
    const field = (view: ChainView) => {
      cleanup();
      render(<AdjustNfs chain={view} nfs={new Map()} edits={{}} onEdit={() => undefined} message={() => undefined} />);
      const [first] = screen.getAllByLabelText(/^CPU quota of /);
      return (first as HTMLInputElement).placeholder;
    };
    expect([field(PLAIN), field(WEB)]).toEqual(["all", "10–80"]);
  });

  it("have no columns for ways where bounds are of none", () => {
    render(<ChainQuotas chain={{ ...WEB, bounded_nfs: [NF] }} />);
    expect(screen.queryByText("LLC ways")).toBeNull();
  });

  it("say why nothing is changed", () => {
    const held: BoundedNf = {
      ...NF,
      quota_percent: null,
      p95_us: null,
      state: "held",
      note: "quotas not met: no helper",
    };
    render(<ChainQuotas chain={{ ...WEB, bounded_nfs: [held] }} />);
    expect(screen.getByText("nothing is changed: quotas not met: no helper")).toBeTruthy();
  });

  it("say that nothing is known yet", () => {
    render(<ChainQuotas chain={WEB} />);
    expect(screen.getByText("Its host has not said yet what it gives its NFs.")).toBeTruthy();
  });

  it("follow telemetry, each chain its own", () => {
    const sample = { chain: "web", offered_mpps: 1, delivered_mpps: 1, drop_mpps: 0, filtered_mpps: 0 };
    const other = { ...NF, nf_id: "dns.router", chain: "dns" };
    const said = batch("edge-1", 1, {
      chains: [sample],
      bounded_nfs: [other, NF],
      quota_changes: [CHANGE, { ...CHANGE, nf_id: "dns.router" }],
    });
    const there = reduce(EMPTY, [snapshot({ hosts: [host("edge-1")], chains: [WEB] })]);
    const shown = reduce(there, [{ event: "telemetry", batch: said }]).chains.get("web");
    expect(shown?.bounded_nfs).toEqual([NF]);
    expect(shown?.quota_changes).toEqual([CHANGE]);
  });
});

describe("quota bounds that are typed", () => {
  const typed = {
    "quota_bounds.max_p95_us": "2000",
    "quota_bounds.least_percent": "5",
    "quota_bounds.most_percent": "90",
  };

  it("are sent together", () => {
    const { change, errors } = adjustmentOf(PLAIN.spec, typed);
    expect(errors).toEqual([]);
    expect(change?.quota_bounds).toEqual({ max_p95_us: 2000, least_percent: 5, most_percent: 90 });
    expect(adjustOptions(change ?? {})).toBe(" --quota-bounds 2000:5:90");
  });

  it("may be of ways and bandwidth, too", () => {
    const more = {
      ...typed,
      "quota_bounds.least_ways": "2",
      "quota_bounds.most_ways": "6",
      "quota_bounds.least_bandwidth_percent": "20",
    };
    const { change } = adjustmentOf(PLAIN.spec, more);
    expect(change?.quota_bounds).toMatchObject({ least_ways: 2, most_ways: 6, least_bandwidth_percent: 20 });
    expect(adjustOptions(change ?? {})).toBe(" --quota-bounds 2000:5:90:ways=2-6:bandwidth=20");
    const one = adjustmentOf(PLAIN.spec, { ...typed, "quota_bounds.most_ways": "6" });
    expect(one.errors.map(({ field }) => field)).toEqual(["quota_bounds.least_ways"]);
    const crossed = adjustmentOf(PLAIN.spec, { ...more, "quota_bounds.least_ways": "7" });
    expect(crossed.errors).toEqual([{ field: "quota_bounds.least_ways", message: "more than the most, 6" }]);
  });

  it("are taken away by empty fields", () => {
    const empty = { "quota_bounds.max_p95_us": "", "quota_bounds.least_percent": "", "quota_bounds.most_percent": "" };
    const { change } = adjustmentOf(WEB.spec, empty);
    expect(change?.quota_bounds).toBeNull();
    expect(adjustOptions(change ?? {})).toBe(" --quota-bounds none");
  });

  it("are refused where one is missing, or the least is more than the most", () => {
    const one = adjustmentOf(PLAIN.spec, { "quota_bounds.max_p95_us": "2000" });
    expect(one.errors.map(({ field }) => field)).toEqual(["quota_bounds.least_percent", "quota_bounds.most_percent"]);
    const crossed = adjustmentOf(WEB.spec, { "quota_bounds.least_percent": "81" });
    expect(crossed.errors).toEqual([{ field: "quota_bounds.least_percent", message: "more than the most, 80" }]);
  });
});
