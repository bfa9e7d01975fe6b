import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import type { ReactNode } from "react";
import { describe, expect, it, vi } from "vitest";
import { sessionQuery } from "@/api/queries";
import type { HostView } from "@/api/types";
import { layerOf } from "@/fleet/layers";
import { modelOf } from "@/fleet/model";
import { Capabilities } from "@/hosts/host-facts";
import { HostTables } from "@/hosts/host-tables";
import { NfTable } from "@/hosts/nf-table";
import { SilentBanner } from "@/hosts/silent-banner";
import { SimulatedLine } from "@/hosts/simulated-line";
import type { Figures, HostData } from "@/hosts/use-host";
import { host, nf, nfSample, seat } from "./fixtures";

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
  useNavigate: () => vi.fn(),
}));

function withClient(children: ReactNode): ReactNode {
  const client = new QueryClient();
  const session = {
    username: "ops-1",
    role: "operator" as const,
    csrf_token: "t",
    expires_at: "2026-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>;
}

const LOAD = { utilisation_percent: 21, utilisation_basis: "busy-time", headroom_mpps: 3.8 } as const;

function dataOf(figures: Figures, view: HostView = host("h", 1, 2, 8)): HostData {
  const sample = nfSample("web.router", {
    tx_mpps: 0.4,
    drop_mpps: 0.1,
    ring_used_percent: 84,
    cycles_per_packet: 57,
    ...LOAD,
  });
  const one = nf("web.router", "h", 1, { seat: seat("h", 1), restarts: 2, sample });
  const layer = layerOf("cpu");
  const model = modelOf(view, new Map([[one.nf_id, one]]), layer, new Set(["web.router"]), "labelled");
  return {
    host: view,
    model,
    nfs: [one],
    chains: [],
    letters: new Map([["web", "A"]]),
    violations: [],
    figures,
    layer,
    predictions: { forecasts: undefined, problem: null },
  };
}

const cells = (name: RegExp) => within(screen.getByRole("row", { name })).getAllByRole("cell");

describe("a simulated host", () => {
  const simulated = (view: HostView): HostView => ({
    ...view,
    provenance: "simulated",
    inventory: view.inventory
      ? { ...view.inventory, driver: "twin-2", host_model: "xeon (simulated), 2 x 12 cores" }
      : null,
  });

  it("says whose twin it is, and what that means where somebody asks", async () => {
    const { container } = render(<SimulatedLine host={simulated(host("h"))} />);
    expect(screen.getByTestId("simulated-host").textContent).toContain("the twin of xeon, 2 x 12 cores.");
    expect(screen.getByText(/No packet moves here/).closest("[hidden]")).not.toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "What this means" }));
    expect(screen.getByText(/No packet moves here/).closest("[hidden]")).toBeNull();
    const found = await axe.run(container, { rules: { region: { enabled: false } } });
    expect(found.violations.map(({ id }) => id)).toEqual([]);
  });

  it("is not said of a machine", () => {
    const { container } = render(<SimulatedLine host={host("h")} />);
    expect(container.textContent).toBe("");
  });
});

const AS_IT_IS = { view: {}, onView: () => {} };

describe("NFs of a host", () => {
  it("have every figure in its column, and open a form to move one", async () => {
    const pin = vi.fn();
    const { container } = render(withClient(<NfTable data={dataOf("present")} {...AS_IT_IS} onPin={pin} />));
    const texts = cells(/router/).map((cell) => cell.textContent);
    expect(texts).toEqual([
      "Aweb",
      "running",
      "0/1",
      "1 of 8",
      "21",
      "3.8",
      "50",
      "1.0",
      "0.40",
      "0.10",
      "0",
      "57.0",
      "84",
      "2",
      "Migrate Resources",
    ]);
    await userEvent.click(screen.getByRole("button", { name: "0/1" }));
    expect(pin).toHaveBeenCalledWith("1/0");
    await userEvent.click(screen.getByRole("button", { name: "Migrate" }));
    expect(screen.getByRole("region", { name: "Migrate web.router" })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Resources" }));
    expect(screen.queryByRole("region", { name: "Migrate web.router" })).toBeNull();
    expect(screen.getByRole("region", { name: "Resources of web.router" })).toBeTruthy();
    const found = await axe.run(container, {
      rules: { region: { enabled: false }, "color-contrast": { enabled: false } },
    });
    expect(found.violations.map(({ id }) => id)).toEqual([]);
  });

  it("have what counters report beside what they drop, on a host that has counters", () => {
    const data = dataOf("present");
    const counters = { llc_references_per_s: 50e6, llc_misses_per_s: 19e6, llc_occupancy_bytes: [3 * 2 ** 20] };
    const memory = { memory_local_bytes_per_s: 3e9, memory_remote_bytes_per_s: 5e9 };
    const sample = nfSample("web.router", { ...counters, ...memory, drop_mpps: 0.1 });
    const nfs = data.nfs.map((each) => ({ ...each, sample }));
    render(withClient(<NfTable data={{ ...data, nfs }} {...AS_IT_IS} onPin={() => {}} />));
    const texts = cells(/router/).map((cell) => cell.textContent);
    expect(texts.slice(9, 15)).toEqual(["0.10", "50.0", "38", "3.0", "3.0", "5.0"]); // drops, then 19 of 50 M/s missed
    expect(screen.getAllByRole("columnheader")).toHaveLength(texts.length + 1); // the NF itself heads its row
  });

  it("are sorted as the address says, what is not measured last, and keep the button whatever is shown", async () => {
    const data = dataOf("present");
    const [first] = data.nfs;
    if (!first) throw new Error("there is an NF");
    const named = (name: string, drop_mpps: number | null) => ({
      ...first,
      nf_id: `web.${name}`,
      sample: drop_mpps === null ? null : nfSample(`web.${name}`, { drop_mpps }),
    });
    const nfs = [named("quiet", 0), named("unknown", null), named("lossy", 0.2)];
    const onView = vi.fn();
    const view = { sort: "-drops", columns: "nf,drops" };
    render(withClient(<NfTable data={{ ...data, nfs }} view={view} onView={onView} onPin={() => {}} />));
    const rows = screen.getAllByRole("rowheader").map((head) => head.textContent?.split(" ")[1]);
    expect(rows).toEqual(["lossy", "quiet", "unknown"]);
    expect(screen.getAllByRole("columnheader").map((head) => head.textContent?.trim())).toEqual([
      "NF",
      "Drops, Mpps↓",
      "Actions",
    ]);
    await userEvent.click(screen.getByRole("button", { name: "Drops, Mpps" }));
    expect(onView).toHaveBeenCalledWith({ sort: "drops", columns: "nf,drops" });
  });

  it("claim nothing of an unreachable host", () => {
    render(withClient(<NfTable data={dataOf("none")} {...AS_IT_IS} onPin={() => {}} />));
    const texts = cells(/router/).map((cell) => cell.textContent);
    expect(texts.slice(1, 2)).toEqual(["not known"]);
    expect(texts.slice(4, 13)).toEqual(Array(9).fill("–"));
  });
});

describe("the picture as tables", () => {
  it("has nodes, ports and every slot", () => {
    render(<HostTables data={dataOf("present")} onPin={() => {}} />);
    expect(within(screen.getByRole("table", { name: "NUMA nodes" })).getAllByRole("row")).toHaveLength(2);
    const slots = screen.getByRole("table", { name: "Every core and slot" });
    expect(within(slots).getAllByRole("row")).toHaveLength(1 + 16);
    expect(within(slots).getByText("limits a violated chain")).toBeTruthy();
  });
});

describe("a silent host", () => {
  it("says since when, what that means and what to do; one that is up says nothing", () => {
    const { container, rerender } = render(<SilentBanner host={host("h")} />);
    expect(container.textContent).toBe("");
    rerender(<SilentBanner host={host("h", 1, 2, 1, { status: "unreachable" })} />);
    expect(screen.getByRole("status").textContent).toMatch(
      /^h unreachable since .* Its chains probably keep running as last ordered/,
    );
    rerender(<SilentBanner host={host("h", 1, 2, 1, { status: "stale" })} />);
    expect(screen.getByRole("status").textContent).toContain("Figures are the last known ones.");
  });
});

describe("capabilities", () => {
  it("that are missing come first, each with its reason", () => {
    const view = host("h");
    const capabilities = [
      { name: "pinning", available: true, reason: "by affinity" },
      { name: "resctrl-cat", available: false, reason: "this CPU has none" },
    ];
    render(<Capabilities host={{ ...view, inventory: { ...view.inventory, capabilities } } as HostView} />);
    const [cannot, can] = screen.getAllByRole("region");
    expect(cannot?.textContent).toBe("Cannot1resctrl-catthis CPU has none");
    expect(can?.textContent).toBe("Can1 capabilitypinningby affinity");
  });
});
