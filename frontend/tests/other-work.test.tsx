import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { describe, expect, it, vi } from "vitest";
import { faultsKey } from "@/api/queries";
import type { ActiveFault, HostView, NfSample, NfView } from "@/api/types";
import { blameOf } from "@/chains/blame";
import { Measured } from "@/chains/limited-by";
import { describeUnit } from "@/fleet/describe";
import { FleetTable } from "@/fleet/fleet-table";
import { summary } from "@/fleet/heads";
import { layerOf } from "@/fleet/layers";
import type { Limit } from "@/fleet/limit";
import { modelOf } from "@/fleet/model";
import { besideOf, besideText, injectedOn, isCause, otherWork } from "@/fleet/other-work";
import { keyOf } from "@/fleet/paint";
import { heldByQuota } from "@/fleet/quota-cause";
import { ViolatedChain } from "@/fleet/violated-chain";
import { violations } from "@/fleet/violations";
import { cellAppearance } from "@/hosts/cell-appearance";
import { HostTables } from "@/hosts/host-tables";
import { live } from "@/live/store";
import { AT, chain, host, nf, nfSample, snapshot } from "./fixtures";

vi.mock("@tanstack/react-router", () => ({ Link: ({ children }: { children: ReactNode }) => <span>{children}</span> }));

const CPU = layerOf("cpu");
const NOBODY: ReadonlyMap<number, string> = new Map();

/** Two nodes of four cores; `other`: by core, what no NF uses of it. All of it where no NF stands, so that it is busy, too. */
function working(other: Readonly<Record<number, number>>, change: Partial<HostView> = {}): HostView {
  const cores = Object.entries(other).map(([core, part]) => ({
    core: Number(core),
    busy_percent: part,
    other_percent: part,
  }));
  return host("sim-3", 2, 4, 1, { provenance: "simulated", cores, ...change });
}

const NIDS = nf("dmz.nids", "sim-3", 1, {
  nf_type: "nids",
  short_name: "nids",
  sample: nfSample("dmz.nids", { core: 1, rx_mpps: 4.5, drop_mpps: 2.1 }),
});
const CHAIN = chain("dmz", {
  throughput_slo: "violated",
  sample: {
    chain: "dmz",
    offered_mpps: 6.6,
    delivered_mpps: 4.5,
    drop_mpps: 2.1,
    filtered_mpps: 0,
    paused: false,
    p50_us: null,
    p95_us: null,
    p99_us: null,
  },
});
const noise = (cores: number[], until: string | null = null): ActiveFault => ({
  fault: { kind: "noisy-neighbour", resource: "memory", cores, seconds: 60 },
  since: AT,
  until,
});

describe("a core that other work uses", () => {
  const view = working({ 3: 98, 2: 3 });
  const model = modelOf(view, new Map([[NIDS.nf_id, NIDS]]), CPU, new Set(), "labelled");
  const unit = (core: number) => {
    const found = model.units.find((each) => each.core.id === core);
    if (!found) throw new Error(`no core ${core}`);
    return found;
  };
  const words = (core: number) => describeUnit(unit(core), model, Date.parse(AT));

  it("is not free: in the cell, on hover, and in the map's paint", () => {
    expect(words(3)[1]).toBe("no NF; other work 98 % of the core");
    expect(words(2)[1]).toBe("free"); // 3 % is the system's
    expect(cellAppearance(unit(3), CPU, new Map(), "present")).toMatchObject({
      kind: "other",
      name: "other",
      second: "98 %",
      other: 0.98,
    });
    expect(cellAppearance(unit(2), CPU, new Map(), "present")).toMatchObject({ kind: "free", name: "", other: 0 });
    for (const level of ["labelled", "compact", "mass"] as const) {
      expect(keyOf(unit(3), "up", CPU, level)).not.toBe(
        keyOf({ ...unit(3), kind: "free", other: null }, "up", CPU, level),
      );
    }
    expect(model.inUse).toBe(1);
  });

  it("is no free one in the tables of fleet and host", () => {
    const data = {
      host: view,
      model,
      nfs: [NIDS],
      chains: [],
      letters: new Map(),
      violations: [],
      figures: "present" as const,
    };
    const predictions = { forecasts: undefined, problem: null };
    const tables = [
      [
        <FleetTable key="fleet" models={[model]} onPin={() => {}} sort={undefined} onSort={() => {}} />,
        /no NF.*other work 98 % of the core/,
      ],
      // Busy, and of that other work; then the slot.
      [<HostTables key="host" data={{ ...data, layer: CPU, predictions }} onPin={() => {}} />, /9898–no NF/],
    ] as const;
    for (const [table, words] of tables) {
      const { unmount } = render(table);
      const row = screen.getAllByRole("row").find((each) => each.textContent?.includes("0/3"));
      expect(row?.textContent).toMatch(words);
      expect(row?.textContent).not.toContain("free");
      unmount();
    }
  });

  it("by the agent's own measuring is free, and the host's table says who uses it", () => {
    const cores = [{ core: 3, busy_percent: 60, measuring_percent: 58 }];
    const measuring = modelOf(working({}, { cores }), new Map(), CPU, new Set(), "labelled");
    const [core] = measuring.units.filter((each) => each.core.id === 3);
    expect(core && describeUnit(core, measuring, Date.parse(AT))[1]).toBe("free");
    const data = { host: working({}, { cores }), model: measuring, nfs: [], chains: [], letters: new Map() };
    const now = { violations: [], layer: CPU, predictions: { forecasts: undefined, problem: null } };
    render(<HostTables data={{ ...data, ...now, figures: "present" }} onPin={() => {}} />);
    const row = screen.getAllByRole("row").find((each) => each.textContent?.includes("0/3"));
    expect(row?.textContent).toMatch(/6058 measuring–free/);
  });

  it("with an NF is the NF's, and what else uses it is shown beside the NF's figures", () => {
    const both = modelOf(working({ 1: 40 }), new Map([[NIDS.nf_id, NIDS]]), CPU, new Set(), "labelled");
    const [shared] = both.units.filter(({ core }) => core.id === 1);
    expect(shared?.kind).toBe("used");
    expect(shared && describeUnit(shared, both, Date.parse(AT))).toContain("◇ other work 40 % of the core");
  });

  it("of which some slots have NFs has free ones, with the other work beside that", () => {
    const cores = [{ core: 1, busy_percent: 98, other_percent: 60 }];
    const shared = modelOf(
      { ...host("vm", 1, 2, 2), cores },
      new Map([[NIDS.nf_id, NIDS]]),
      CPU,
      new Set(),
      "labelled",
    );
    const free = shared.units.find(({ core, slot }) => core.id === 1 && slot === 1);
    expect(free && describeUnit(free, shared, Date.parse(AT)).slice(1)).toEqual([
      "free",
      "● other work 60 % of the core",
    ]);
    const alone = modelOf({ ...host("vm", 1, 2, 2), cores }, new Map(), CPU, new Set(), "labelled").units.slice(2);
    expect(alone.map((each) => cellAppearance(each, CPU, new Map(), "present").second)).toEqual(["60 %", ""]);
  });

  it("is shown for no core that the data plane holds, no host that nobody hears, and none that does not report it", () => {
    const held = working({ 3: 98 });
    const cores = held.inventory?.cores.map((core) =>
      core.id === 3 ? { ...core, reserved_for: "rx" as const } : core,
    );
    const reserved = { ...held, inventory: held.inventory && { ...held.inventory, cores: cores ?? [] } };
    expect(otherWork(reserved).size).toBe(0);
    expect(otherWork({ ...held, status: "unreachable" }).size).toBe(0);
    expect(otherWork({ ...held, cores: [{ core: 3, busy_percent: 98 }] }).size).toBe(0);
    expect([...otherWork(held).keys()]).toEqual([3]);
  });
});

describe("what stands beside an NF", () => {
  it("is other work on its core and its node, and none on another node", () => {
    expect(besideOf(working({ 5: 98, 6: 98 }), NIDS)).toBeNull();
    const beside = besideOf(working({ 1: 30, 3: 98, 5: 98 }), NIDS);
    expect(beside && besideText(beside, NOBODY)).toBe(
      "other work uses 30 % of its own core, and 98 % of core 3 of the same node",
    );
  });

  it("is where the NF runs, not where it was ordered to", () => {
    const moved = { ...NIDS, actual_core: 6 };
    const beside = besideOf(working({ 3: 98, 5: 60 }), moved);
    expect(beside?.node.map(({ core }) => core.id)).toEqual([5]);
  });

  it("is not the core that a small host keeps for its own work", () => {
    const small = working({ 0: 90 });
    const cores = small.inventory?.cores.map((core) => ({ ...core, last_choice: core.id === 0 })) ?? [];
    expect(besideOf({ ...small, inventory: small.inventory && { ...small.inventory, cores } }, NIDS)).toBeNull();
  });

  it("is called injected where a fault that is not over is on that very core", () => {
    const beside = besideOf(working({ 2: 98, 3: 97 }), NIDS);
    const text = (faults: ActiveFault[]) => beside && besideText(beside, injectedOn(faults, Date.parse(AT)));
    const plain = "other work uses 98 % of core 2 and 97 % of core 3 of the same node";
    expect(text([noise([3])])).toBe(`${plain} (injected fault: noisy neighbour on memory)`);
    expect(text([noise([7])])).toBe(plain);
    expect(text([noise([3], AT)])).toBe(plain);
  });
});

describe("the cause of a violation", () => {
  const able = (view: HostView): HostView => {
    const capabilities = [{ name: "faults", available: true, reason: "" }];
    return { ...view, inventory: view.inventory && { ...view.inventory, capabilities } };
  };
  const idle = { ...working({ 1: 63, 3: 98 }), host_id: "sim-6" };
  const full = { ...idle, host_id: "sim-5", cores: idle.cores.map((core) => ({ ...core, busy_percent: 100 })) };
  const hosts = [able(working({ 3: 98 })), able({ ...working({ 6: 98 }), host_id: "sim-4" }), idle, full];
  live.receive({ type: "events", events: [snapshot({ hosts })] });

  function show(hostId: string, page: (nids: NfView) => ReactNode): string {
    const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
    client.setQueryData(faultsKey("sim-3"), { faults: [noise([3])] });
    const nids = { ...NIDS, seat: { ...NIDS.seat, host: hostId } };
    const { container } = render(<QueryClientProvider client={client}>{page(nids)}</QueryClientProvider>);
    return container.textContent ?? "";
  }
  const pages: readonly ((nids: NfView) => ReactNode)[] = [
    (nids) => violations([CHAIN], () => [nids]).map((each) => <ViolatedChain key={each.kind} violation={each} />),
    (nids) => <Measured chain={CHAIN} nfs={new Map([[nids.nf_id, nids]])} blame={blameOf(CHAIN, [nids], undefined)} />,
  ];

  it("names the noisy neighbour on the fleet's and the host's page, and on the chain's", () => {
    for (const page of pages) {
      const text = show("sim-3", page);
      expect(text).toContain("drops 2.1 of the 6.6 Mpps that reach it (32 %)");
      expect(text).toContain(
        "Also: other work uses 98 % of core 3 of the same node (injected fault: noisy neighbour on memory).",
      );
    }
  });

  it("is other work on the core of the NF that does not keep up, and on no other core", () => {
    for (const page of pages) {
      const text = show("sim-5", page);
      expect(text).toContain("(32 %)");
      expect(text).toContain(
        "The cause is other work, which uses 63 % of its core. Also: other work uses 98 % of core 3 of the same node.",
      );
      // With time of the core to spare, that work takes none of the NF's.
      expect(show("sim-6", page)).toContain("Also: other work uses 63 % of its own core, and 98 % of core 3");
    }
  });

  /** Of the 89 % in which it did not run its quota held it for 73: the rest, 16 %, other work had. */
  it("is the quota of an NF that this holds still for most of the time", () => {
    const held = (throttled: number): NfView => ({
      ...NIDS,
      sample: { ...(NIDS.sample as NfSample), cpu_percent: 11, throttled_percent: throttled },
    });
    const of = (throttled: number, by: Limit["by"] = "drops") => heldByQuota({ nf: held(throttled), by });
    expect([of(73), of(44.5), of(44), of(0), of(73, "queue")]).toEqual([73, 44.5, null, null, null]);
    for (const page of pages) {
      const quota = "The cause is its CPU quota, which held it still for 73 % of the time.";
      expect(show("sim-5", (nids) => page({ ...held(73), seat: nids.seat }))).toContain(
        `${quota} Also: other work uses 63 % of its own core, and 98 % of core 3 of the same node.`,
      );
      expect(show("sim-5", (nids) => page({ ...held(44), seat: nids.seat }))).toContain("The cause is other work");
      // Nothing stands beside it on its node there.
      expect(show("sim-4", (nids) => page({ ...held(73), seat: nids.seat }))).toContain(quota);
    }
  });

  it("is not claimed of an NF that only makes packets wait", () => {
    const beside = besideOf(working({ 1: 95 }), NIDS);
    expect(beside && [isCause(beside, "drops"), isCause(beside, "ring"), isCause(beside, "queue")]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it("does not blame one of another node", () => {
    for (const page of pages) {
      expect(show("sim-4", page)).toContain("drops 2.1 of the 6.6 Mpps");
      expect(screen.queryByTestId("beside")).toBeNull();
    }
  });
});

describe("other work on a host with an NF in the kernel", () => {
  const wall = (change: Parameters<typeof nfSample>[1]) => {
    const { cpu_percent: _, ...sample } = nfSample("web.wall", change);
    return new Map([["web.wall", nf("web.wall", "sim-3", 1, { sample })]]);
  };
  const said = (nfs: ReadonlyMap<string, NfView>) =>
    summary(modelOf(host("sim-3", 1, 4), nfs, CPU, new Set(), "labelled"));

  it("is not known while it has packets, and the host says so: its other cores are not free for sure", () => {
    expect(said(wall({ rx_mpps: 0.1 }))).toContain(", other work not known");
    expect(said(wall({ rx_mpps: 0 }))).not.toContain("other work");
    expect(said(new Map([[NIDS.nf_id, NIDS]]))).not.toContain("other work");
  });
});
