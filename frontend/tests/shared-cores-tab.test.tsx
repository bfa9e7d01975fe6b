/** The tab Shared cores of the page Automation: hosts, one host's bars and figures, and what it says without any. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createAppRouter } from "@/app/routes";
import { live } from "@/live/store";
import { chain, host, nf, snapshot } from "./fixtures";
import { expectAccessible } from "./plan-page";
import { hostCost, hostCostFit, sharingCore, sharingHost, sharingNf } from "./shared-cores-fixtures";

const wire = vi.hoisted(() => {
  const state = { host: null as unknown, status: 200, role: "viewer", assigner: null as unknown };
  const sent: { path: string; body: unknown }[] = [];
  vi.stubGlobal("fetch", async (asked: Request | string) => {
    const request = typeof asked === "string" ? new Request(new URL(asked, "http://console")) : asked;
    const path = new URL(request.url).pathname.replace("/api/v1", "");
    if (request.method !== "GET") sent.push({ path, body: JSON.parse((await request.text()) || "null") });
    const session = { username: "ada", csrf_token: "t", expires_at: "2036-01-01T00:00:00Z", issuer: null };
    const answers: Record<string, () => unknown> = {
      "/auth/session": () => ({ ...session, role: state.role, must_change_password: false }),
      "/automation": () => ({ stopped: false, changed_at: "", changed_by: "ada", version: 1, laws: [] }),
      "/control/sfc2cpu/hosts/edge-1": () => state.host,
      "/control/sfc2cpu/assigner": () => state.assigner,
    };
    const answer = answers[path];
    const status = path.endsWith("edge-1") ? state.status : 200;
    return answer ? Response.json(answer(), { status }) : new Promise<Response>(() => {});
  });
  return { state, sent };
});

beforeEach(() => {
  const assigner = { algorithm: "min_max", why: "costs beside others were never fitted on edge-2" };
  Object.assign(wire.state, { host: sharingHost(), status: 200, role: "viewer", assigner });
  wire.sent.length = 0;
});
afterEach(cleanup);

async function open(
  address = "/automation?tab=sfc2cpu&host=edge-1",
  cores = [1, 1],
  chains = [chain("web")],
): Promise<void> {
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", address);
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  const nfs = cores.map((core, at) => nf(`web.${at}`, "edge-1", core));
  const known = snapshot({ hosts: [host("edge-1")], chains, nfs });
  act(() => live.receive({ type: "events", events: [known] }));
}

it("draws NFs on their core, and says who divides it and why shares changed", async () => {
  await open();
  const bar = await screen.findByRole("list", { name: "NFs on core 0" });
  expect(within(bar).getByText("web.a: 50 % of the core; a packet costs +25 % beside others")).toBeTruthy();
  expect(screen.getByText("divided by rate × cost")).toBeTruthy();
  const figures = screen.getByRole("table", { name: "NFs on shared cores" });
  expect(within(figures).getByRole("row", { name: /web\.a/ }).textContent).toContain("+25 %");
  const changes = screen.getByRole("table", { name: "Shares moved by the host itself" });
  expect(within(changes).getByText("nat.b 50 to 40 %, web.a 50 to 60 %")).toBeTruthy();
  expect(screen.getByRole("table", { name: "Hosts whose NFs share cores" }).textContent).toContain("edge-1");
  await expectAccessible(screen.getByRole("main"));
});

it("says that nothing is known of packets alone where no model fits", async () => {
  const bare = sharingNf("web.a", { alone_us: null, inflation: null });
  wire.state.host = sharingHost({ cores: [sharingCore({ nfs: [bare] })] });
  await open();
  expect(await screen.findByText(/What packets take alone is not known/)).toBeTruthy();
});

it("says why a core is held", async () => {
  wire.state.host = sharingHost({ cores: [sharingCore({ held: "web.a does not run", changed: null })] });
  await open();
  expect(await screen.findByText("divided by rate × cost, held: web.a does not run")).toBeTruthy();
  expect(screen.queryByRole("table", { name: "Shares moved by the host itself" })).toBeNull();
});

it("says so where nothing is shared, and where laws are stopped", async () => {
  wire.state.host = sharingHost({ cores: [], stopped: "all control laws are stopped" });
  await open(undefined, [1, 2]);
  expect(await screen.findByText(/Every NF of this host has a core of its own/)).toBeTruthy();
  expect(screen.getByText("all control laws are stopped: shares stay as they are.")).toBeTruthy();
  expect(screen.getByText(/No host yet/)).toBeTruthy();
});

it("shows what is wrong where the host cannot be read", async () => {
  const problem = { type: "about:blank", title: "Not found", status: 404, detail: "No host edge-1 has registered." };
  Object.assign(wire.state, { host: problem, status: 404 });
  await open();
  expect(await screen.findByText(/No host edge-1 has registered/)).toBeTruthy();
});

it("asks for a host where none is open", async () => {
  await open("/automation?tab=sfc2cpu");
  expect(await screen.findByText(/Choose a host to see its shared cores/)).toBeTruthy();
});

it("asks for a plan of chains that wait, and of a host with at most two moves", async () => {
  wire.state.role = "operator";
  const waiting = [chain("web"), chain("late", { state: "submitted" }), chain("early", { state: "submitted" })];
  await open(undefined, undefined, waiting);
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Assign newcomers" }));
  await user.click(await screen.findByRole("button", { name: "Re-balance" }));
  await waitFor(() => expect(wire.sent).toHaveLength(2), { timeout: 5000 });
  const solving = { algorithm: "min_max", time_limit_s: 10, seed: 0 };
  const place = { kind: "place", chain: "early", more: ["late"] };
  const replace = { kind: "replace", host: "edge-1", keep: [] };
  expect(wire.sent).toEqual([
    { path: "/plans", body: { intent: place, ...solving, max_moves: null } },
    { path: "/plans", body: { intent: replace, ...solving, max_moves: 2 } },
  ]);
});

it("asks for plans by fitted costs where these hold, and says why", async () => {
  const assigner = { algorithm: "calibrated" as const, why: "fitted costs of edge-1 are up to 5 % off" };
  Object.assign(wire.state, { role: "operator", assigner, host: sharingHost({ assigner, cost: hostCost() }) });
  await open(undefined, undefined, [chain("web"), chain("late", { state: "submitted" })]);
  expect(
    await screen.findByText(/Newcomers are assigned by calibrated: fitted costs of edge-1 are up to 5 % off\./),
  ).toBeTruthy();
  const costs = await screen.findByLabelText("Costs beside others on edge-1");
  expect(costs.textContent).toContain("Re-balance goes bycalibrated: fitted costs of edge-1 are up to 5 % off.");
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Assign newcomers" }));
  await user.click(screen.getByRole("button", { name: "Re-balance" }));
  await waitFor(() => expect(wire.sent).toHaveLength(2), { timeout: 5000 });
  const asked = wire.sent.map(({ body }) => body as { algorithm: string; max_moves: number | null });
  expect(asked.map(({ algorithm, max_moves }) => [algorithm, max_moves])).toEqual([
    ["calibrated", null],
    ["calibrated", 2],
  ]);
});

it("marks fitted costs that what was measured has left", async () => {
  const cost = hostCost({ drifted_at: "2026-11-29T15:20:00Z", drift_nf: "web.a", drift_error: 0.2 });
  wire.state.host = sharingHost({ cost });
  await open();
  const costs = await screen.findByLabelText("Costs beside others on edge-1");
  expect(costs.textContent).toContain("packets of web.a were 20 % off in the middle of ten minutes.");
  expect(costs.textContent).toContain("Re-balance goes bymin_max: costs beside others were never fitted on edge-1.");
  await expectAccessible(costs);
});

it("says why nothing is to be assigned", async () => {
  wire.state.role = "operator";
  await open();
  const assign = await screen.findByRole("button", { name: "Assign newcomers" });
  expect(assign.getAttribute("aria-disabled")).toBe("true");
  await userEvent.setup().click(assign);
  expect(wire.sent).toEqual([]);
  expect(screen.getByText("No chain waits for a place.")).toBeTruthy();
});

it("says how far off fitted costs are and of what they came, and fits them anew", async () => {
  Object.assign(wire.state, { host: sharingHost({ cost: hostCost({ windows: 214 }) }), role: "operator" });
  await open();
  const costs = await screen.findByLabelText("Costs beside others on edge-1");
  expect(costs.textContent).toContain("typically 1.2 % off, and up to 5.4 % in nine of ten of what a fit did not use");
  expect(costs.textContent).toContain(", 21.0 % of types that it did not know.");
  expect(costs.textContent).toContain("From 214 spans of ten seconds under 1 placement, of firewall, nat.");
  await expectAccessible(costs);
  await userEvent.click(within(costs).getByRole("button", { name: "Fit costs" }));
  await waitFor(() => expect(wire.sent.map(({ path }) => path)).toEqual(["/control/sfc2cpu/fits"]));
  expect(wire.sent[0]?.body).toEqual({ host: "edge-1" });
});

it("says how far a fit is, whoever asked for it, and takes no second order meanwhile", async () => {
  Object.assign(wire.state, { host: sharingHost({ fit: hostCostFit() }), role: "operator" });
  await open();
  const costs = await screen.findByLabelText("Costs beside others on edge-1");
  expect(within(costs).getByRole("status").textContent).toMatch(/^Fit 8, requested by bert, .* waits for a worker\.$/);
  await userEvent.click(within(costs).getByRole("button", { name: "Fit costs" }));
  expect(wire.sent).toEqual([]);
  const begun = { began_at: "2026-11-29T15:09:11Z" };
  wire.state.host = sharingHost({ fit: hostCostFit(begun) });
  await within(costs).findByText(/reads what its NFs measured/, undefined, { timeout: 5000 });
  wire.state.host = sharingHost({ fit: hostCostFit({ ...begun, windows: 214 }) });
  await within(costs).findByText(/is made of 214 spans of ten seconds/, undefined, { timeout: 5000 });
  wire.state.host = sharingHost({ fit: hostCostFit({ ...begun, windows: 214, state: "done" }), cost: hostCost() });
  await within(costs).findByText(/version 3, fitted/, undefined, { timeout: 5000 });
  expect(within(costs).queryByRole("status")).toBeNull();
});

it("says why costs could not be fitted, and lets an operator ask again", async () => {
  const detail = "edge-1 has measured its NFs in 3 spans of ten seconds within 6 h, and a fit wants 30.";
  const error = {
    type: "urn:sextant:problem:costs-not-fitted",
    title: "The costs cannot be fitted",
    status: 409,
    detail,
    instance: null,
    errors: [],
    next_actions: [{ label: "Fit again", command: null }],
    request_id: null,
    difference: null,
  };
  const fit = hostCostFit({ state: "failed", error });
  Object.assign(wire.state, { host: sharingHost({ fit }), role: "operator" });
  await open();
  const costs = await screen.findByLabelText("Costs beside others on edge-1");
  expect(within(costs).getByRole("status").textContent).toContain(`failed: ${detail} Fit again.`);
  await expectAccessible(costs);
  await userEvent.click(within(costs).getByRole("button", { name: "Fit costs" }));
  await waitFor(() => expect(wire.sent).toHaveLength(1));
});

it("lets nobody fit costs who may not", async () => {
  await open();
  const costs = await screen.findByLabelText("Costs beside others on edge-1");
  expect(costs.textContent).toContain("never fitted on this host");
  await userEvent.click(within(costs).getByRole("button", { name: "Fit costs" }));
  expect(wire.sent).toEqual([]);
});
