import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { HostView } from "@/api/types";
import { cannotOf, whyCannot } from "@/capabilities/cannot";
import { ExecutionField } from "@/chains/execution-field";
import { LatencyVerdict } from "@/chains/verdict";
import { live } from "@/live/store";
import { chain, host, seat, snapshot } from "./fixtures";

/** A host that says of one thing that it cannot. */
function without(id: string, name: string, reason: string): HostView {
  const view = host(id);
  const capabilities = [{ name, available: false, reason }];
  return { ...view, inventory: view.inventory && { ...view.inventory, capabilities } };
}

const BLIND = without("h", "latency", "NFs cannot be asked");
const placed = chain("web", {
  spec: { ...chain("web").spec, slo: { min_throughput_mpps: null, max_p95_ms: 2 } },
  placement: [{ nf_id: "web.router", chain: "web", nf_type: "router", position: 0, seat: seat("h", 1) }],
  latency_slo: "no_data",
});

function fleetOf(view: HostView): void {
  live.receive({ type: "events", events: [snapshot({ hosts: [view], chains: [placed] })] });
}

describe("what a host cannot do", () => {
  it("has its own reason; what it says nothing of, or can, has none", () => {
    expect(whyCannot(BLIND, "latency")).toBe("NFs cannot be asked");
    expect(whyCannot(BLIND, "pause")).toBeNull();
    expect(whyCannot(undefined, "latency")).toBeNull();
  });

  it("is said of the hosts that a chain stands on", () => {
    const hosts = new Map([BLIND, without("other", "latency", "no")].map((view) => [view.host_id, view]));
    expect(cannotOf(placed, hosts, "latency")).toEqual([{ host: "h", reason: "NFs cannot be asked" }]);
  });

  it("stands in an objective's place of data that will never come", async () => {
    fleetOf(BLIND);
    render(<LatencyVerdict chain={placed} />);
    expect((await screen.findByText("≤ 2.0 ms p95, not measured")).title).toBe("h: NFs cannot be asked");
  });

  it("is not taken for data that is late", async () => {
    fleetOf(host("h"));
    render(<LatencyVerdict chain={placed} />);
    expect(await screen.findByText("≤ 2.0 ms p95, no data")).toBeDefined();
  });

  it("cannot be chosen", () => {
    render(<ExecutionField value="isolated" onChange={() => {}} error={undefined} blocked="h: no" />);
    expect(screen.getByRole("radio", { name: "Run to completion" }).hasAttribute("disabled")).toBe(true);
    expect(screen.getByText("Not on h: no")).toBeDefined();
  });
});
