/** The tab SRv6-INT of the page Automation: hosts with quota bounds, one host's chains lane by lane, its lanes. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createAppRouter } from "@/app/routes";
import { live } from "@/live/store";
import { chain, host, snapshot } from "./fixtures";
import { swap } from "./numasfp-fixtures";
import { expectAccessible } from "./plan-page";
import { lanes, SRV6_PARAMETERS, srv6Chain, srv6Host, srv6Row } from "./srv6-fixtures";

const wire = vi.hoisted(() => {
  const state = { hosts: [] as unknown[], host: null as unknown, parameters: {} as unknown };
  const sent: { method: string; path: string; body: unknown }[] = [];
  const policy = { mode: "recommend", margin_percent: 5, margin_mpps: 0.1, hold_s: 2, max_moves: 4, rest_s: 5 };
  const view = {
    policy: { ...policy, every_s: 5, races: false },
    status: "",
    evaluated_at: null,
    changed_at: "",
    changed_by: "ada",
  };
  vi.stubGlobal("fetch", async (asked: Request | string) => {
    const request = typeof asked === "string" ? new Request(new URL(asked, "http://console")) : asked;
    const path = new URL(request.url).pathname.replace("/api/v1", "");
    if (request.method !== "GET") sent.push({ method: request.method, path, body: JSON.parse(await request.text()) });
    const session = { username: "ada", csrf_token: "t", expires_at: "2036-01-01T00:00:00Z", issuer: null };
    const answers: Record<string, () => unknown> = {
      "/auth/session": () => ({ ...session, role: "admin", must_change_password: false }),
      "/automation": () => ({ stopped: false, changed_at: "", changed_by: "ada", version: 1, laws: [] }),
      "/automation/timeline": () => ({ items: [], next: null }),
      "/policies": () => ({ items: [], next: null }),
      "/policies/srv6/fleet": () => ({ ...view, version: 3 }),
      "/control/srv6/hosts": () => ({ items: state.hosts, next: null }),
      "/control/srv6/hosts/edge-1": () => state.host,
      "/control/srv6/parameters": () => state.parameters,
      "/recommendations/1/actions": () => ({}),
    };
    const answer = answers[path];
    const headers = { ETag: '"7"' };
    return answer ? Response.json(answer(), { headers }) : new Promise<Response>(() => {});
  });
  return { state, sent };
});

beforeEach(() => {
  const hosts = [srv6Row("edge-1", { saturated: 1 }), srv6Row("edge-2")];
  Object.assign(wire.state, { hosts, host: srv6Host(), parameters: SRV6_PARAMETERS });
  wire.sent.length = 0;
});
afterEach(cleanup);

async function open(address = "/automation?tab=srv6&host=edge-1"): Promise<void> {
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", address);
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  const known = snapshot({ hosts: [host("edge-1")], chains: [chain("web")], recommendations: [lanes(swap())] });
  act(() => live.receive({ type: "events", events: [known] }));
  await screen.findByText(/hosts with quota bounds/);
}

it("shows chains lane by lane, and the NF that needs more", async () => {
  await open();
  const chains = await screen.findByRole("table", { name: "Chains, lane by lane" });
  expect(within(chains).getByText("web.nids")).toBeTruthy();
  expect(within(chains).getByText("400 %")).toBeTruthy();
  expect(within(chains).getByText(/needs more since/)).toBeTruthy();
  await expectAccessible(screen.getByRole("main"));
});

it("says which NF a full lane is full by, and of which nobody measures the CPU time", async () => {
  const counted = { full_mpps: 0.025, full_nf: "web.wall", need_cores: 0.4, uncounted: ["web.wall"] };
  wire.state.host = srv6Host({ chains: [srv6Chain(counted)] });
  await open();
  const chains = await screen.findByRole("table", { name: "Chains, lane by lane" });
  expect(within(chains).getByText(/^web\.wall$/).parentElement?.textContent).toBe("0.025 web.wall");
  expect(screen.getByText("web: a lane needs at least 0.40 cores: of web.wall CPU time is not measured")).toBeTruthy();
});

it("says nothing of CPU time where all of it is measured", async () => {
  wire.state.host = srv6Host({ chains: [srv6Chain({ need_cores: 0.4, uncounted: [] })] });
  await open();
  await screen.findByRole("table", { name: "Chains, lane by lane" });
  expect(screen.queryByText("Not counted")).toBeNull();
});

it("accepts more lanes", async () => {
  await open();
  const card = await screen.findByRole("region", { name: "Recommendation" });
  expect(within(card).getByText("Carry web in 2 lanes")).toBeTruthy();
  expect(within(card).getByText("web-lane-2 on edge-2")).toBeTruthy();
  await userEvent.setup().click(within(card).getByRole("button", { name: "Accept" }));
  await waitFor(() => expect(wire.sent).toHaveLength(1), { timeout: 5000 });
  expect(wire.sent[0]).toEqual({ method: "POST", path: "/recommendations/1/actions", body: { action: "accept" } });
});

it("accepts a move, and says what it costs", async () => {
  const moved = srv6Chain({ recommended_lanes: null, recommended_hosts: {}, recommended_host: "edge-2" });
  wire.state.host = srv6Host({ chains: [moved] });
  await open();
  const card = await screen.findByRole("region", { name: "Recommendation" });
  expect(within(card).getByText("Move web to edge-2")).toBeTruthy();
  expect(within(card).getByText(/NFs start anew on the other host/)).toBeTruthy();
  expect(within(card).queryByText("Starts")).toBeNull();
  await userEvent.setup().click(within(card).getByRole("button", { name: "Accept" }));
  await waitFor(() => expect(wire.sent).toHaveLength(1), { timeout: 5000 });
  expect(wire.sent[0]).toEqual({ method: "POST", path: "/recommendations/1/actions", body: { action: "accept" } });
});

it("says that a lane would go, and what is not known", async () => {
  const two = [
    { chain: "web", host: "edge-1", offered_mpps: 0.006, carried_mpps: 0.006, worst: 0.2, saturated: null },
    { chain: "web-lane-2", host: "edge-2", offered_mpps: 0.006, carried_mpps: 0.006, worst: null, saturated: null },
  ];
  const less = { lanes: two, above_since: null, surplus_since: "2026-11-29T15:00:00Z" };
  const calm = srv6Chain({ ...less, recommended_lanes: 1, recommended_hosts: {} });
  wire.state.host = srv6Host({ chains: [calm], unseen: { api: "api-lane-2 was not measured on edge-2" } });
  await open();
  const card = await screen.findByRole("region", { name: "Recommendation" });
  expect(within(card).getByText("Carry web in one lane")).toBeTruthy();
  expect(within(card).queryByText("Starts")).toBeNull();
  expect(screen.getByText("api: api-lane-2 was not measured on edge-2")).toBeTruthy();
  expect(screen.getByText(/one lane less would do since/)).toBeTruthy();
});

it("narrows the hosts to those that need more", async () => {
  await open("/automation?tab=srv6");
  const hosts = await screen.findByRole("table", { name: "Hosts in SRv6-INT’s global loop" });
  expect(within(hosts).getAllByRole("row")).toHaveLength(3);
  await userEvent.setup().click(screen.getByRole("checkbox", { name: "Those that need more" }));
  await waitFor(() => expect(within(hosts).getAllByRole("row")).toHaveLength(2), { timeout: 5000 });
  expect(location.search).toContain("saturated=true");
});

it("changes a parameter with the tag that was seen", async () => {
  await open("/automation?tab=srv6");
  const form = await screen.findByRole("form", { name: "Parameters of SRv6-INT’s law" });
  const user = userEvent.setup();
  const rest = within(form).getByLabelText(/^Rest/);
  await user.clear(rest);
  await user.type(rest, "20");
  await user.click(within(form).getByRole("button", { name: /Set parameters/ }));
  await waitFor(() => expect(wire.sent).toHaveLength(1), { timeout: 5000 });
  expect(wire.sent[0]).toEqual({ method: "PATCH", path: "/control/srv6/parameters", body: { rest_s: 20 } });
});

it("says why no host is listed", async () => {
  wire.state.hosts = [];
  await open("/automation?tab=srv6");
  expect(await screen.findByText(/elsewhere nobody knows/)).toBeTruthy();
});
