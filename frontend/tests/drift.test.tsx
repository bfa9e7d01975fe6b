/** Drift on a host's page: asked for, or at once where the host is marked; what can be done, and why not. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { planDriftsEnd } from "@/api/actions";
import { driftQuery, sessionQuery } from "@/api/queries";
import type { DriftReport, HostView } from "@/api/types";
import { Drift } from "@/hosts/drift";
import { live } from "@/live/store";
import { doesSomething, effectText } from "@/plans/applicable";
import { subjectOf } from "@/plans/words";
import { fullPlan, host, snapshot } from "./fixtures";

const went = vi.hoisted(() => vi.fn());
vi.mock("@tanstack/react-router", () => ({ useNavigate: () => went }));
vi.mock("@/api/actions", async (original) => ({ ...(await original<object>()), planDriftsEnd: vi.fn() }));

const REPORT: DriftReport = {
  host_id: "edge-1",
  checked_at: "2036-01-01T00:00:00Z",
  since: null,
  ordered_generation: 5,
  held_generation: 5,
  held_as_ordered: true,
  phase: "blocked",
  detail: "moving web.router: no core 1",
  differences: [
    { kind: "core", subject: "web.router", chain: "web", ordered: "core 1", runs: "core 0", since: null },
    { kind: "foreign", subject: "x.nat", chain: "x", ordered: "not ordered", runs: "nat on core 2", since: null },
  ],
  more: 0,
  repair: { possible: true, reasons: ["stops x"] },
  accept: { possible: false, reasons: ["x.nat: never ordered by this console"] },
};
const MARKED: HostView = { ...host("edge-1"), drift: { since: "2036-01-01T00:00:00Z", summary: "1 NF does not run" } };

function show(view: HostView, report: DriftReport = REPORT, role: "operator" | "viewer" = "operator"): void {
  live.receive({ type: "status", status: "open" });
  live.receive({ type: "events", events: [snapshot({})] });
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } });
  const session = {
    username: "ada",
    role,
    csrf_token: "t",
    expires_at: "2036-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  client.setQueryData(driftQuery("edge-1").queryKey, report);
  render(
    <QueryClientProvider client={client}>
      <Drift host={view} />
    </QueryClientProvider>,
  );
}

const button = (name: string) => screen.getByRole("button", { name });
const isBlocked = (one: HTMLElement) => one.getAttribute("aria-disabled") === "true" || one.hasAttribute("disabled");

beforeEach(() => {
  went.mockReset();
  vi.mocked(planDriftsEnd)
    .mockReset()
    .mockResolvedValue(fullPlan({ id: 9 }));
});

describe("drift", () => {
  it("says of a marked host since when, and what differs", () => {
    show(MARKED);
    expect(screen.getByText(/1 NF does not run, since/)).toBeDefined();
    expect(screen.getByRole("row", { name: /web.router other core core 1 core 0/ })).toBeDefined();
    expect(screen.getByRole("row", { name: /x.nat never ordered not ordered nat on core 2/ })).toBeDefined();
    expect(screen.getByText(/says: moving web.router: no core 1/)).toBeDefined();
  });

  it("names the order that the agent holds where that is another one", () => {
    show(MARKED, { ...REPORT, held_generation: 0, held_as_ordered: false });
    expect(screen.getByText(/holds generation 0, not the newest order, which is generation 5/)).toBeDefined();
  });

  it("says what a repair stops, and why nothing can be accepted", async () => {
    show(MARKED);
    expect(screen.getByText(/what runs as ordered goes on. It stops x./)).toBeDefined();
    expect(screen.getByText("Not possible: x.nat: never ordered by this console")).toBeDefined();
    expect(isBlocked(button("Plan to accept it"))).toBe(true);
    await userEvent.click(button("Plan to accept it"));
    expect(planDriftsEnd).not.toHaveBeenCalled();
  });

  it("asks for a plan and shows it", async () => {
    show(MARKED);
    await userEvent.click(button("Plan the repair"));
    expect(planDriftsEnd).toHaveBeenCalledExactlyOnceWith("edge-1", "repair");
    expect(went).toHaveBeenCalledWith({ to: "/plans/$planId", params: { planId: "9" } });
  });

  it("is compared when somebody asks, where the host is not marked", async () => {
    show(host("edge-1"), { ...REPORT, differences: [] });
    expect(screen.getByText("its reports agree with its order")).toBeDefined();
    expect(screen.queryByText(/runs what it was ordered/)).toBeNull();
    await userEvent.click(button("Compare now"));
    expect(screen.getByText("The host runs what it was ordered, generation 5.")).toBeDefined();
    expect(screen.queryByRole("button", { name: "Plan the repair" })).toBeNull();
  });

  it("is not for viewers to end", async () => {
    show(MARKED, REPORT, "viewer");
    await userEvent.click(button("Plan the repair"));
    expect(planDriftsEnd).not.toHaveBeenCalled();
  });
});

describe("a plan that ends drift", () => {
  const intent = { kind: "align" as const, host: "edge-1", action: "repair" as const, accepted: null, differences: [] };
  const plan = fullPlan({ id: 9 });

  it("does something although nothing changes, unless there is no order", () => {
    if (!plan.body) throw new Error("the fixture has a body");
    const content = { host_id: "edge-1", chains: [] };
    const target = [{ generation: 6, digest: `sha256:${"0".repeat(64)}`, content }];
    const none = { ...plan.body, intent, changes: [], adjustments: [] };
    expect(doesSomething({ ...none, target })).toBe(true);
    expect(doesSomething({ ...none, target: [] })).toBe(false);
    expect(effectText({ ...none, target })).toBe("the same order");
    expect(effectText({ ...none, target: [] })).toBe("0 changes");
  });

  it("is named by what it does", () => {
    expect(subjectOf({ ...plan, intent })).toBe("Order edge-1 again");
    expect(
      subjectOf({ ...plan, intent: { ...intent, action: "accept", accepted: { host_id: "edge-1", chains: [] } } }),
    ).toBe("Accept what edge-1 runs");
  });
});
