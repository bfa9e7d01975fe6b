/** The tab NUMASFP of the page Automation: hosts, one host, its recommendation, the policy's five steps. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { NumasfpHost } from "@/api/types";
import { createAppRouter } from "@/app/routes";
import { live } from "@/live/store";
import { AT, chain, host, snapshot } from "./fixtures";
import { lawChain, lawHost, lawRow, NAT, PARAMETERS, swap, WEB } from "./numasfp-fixtures";
import { expectAccessible } from "./plan-page";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const wire = vi.hoisted(() => {
  const state = {
    role: "admin",
    stopped: false,
    hosts: [] as unknown[],
    host: null as unknown,
    modes: [] as unknown[],
    parameters: {} as unknown,
    timelines: [] as unknown[],
  };
  const sent: unknown[] = [];
  const policy = {
    mode: "recommend",
    margin_percent: 5,
    margin_mpps: 0.1,
    hold_s: 2,
    max_moves: 4,
    rest_s: 5,
    every_s: 5,
  };
  const view = {
    policy: { ...policy, races: false },
    status: "",
    evaluated_at: null,
    changed_at: "",
    changed_by: "ada",
  };
  vi.stubGlobal("fetch", async (asked: Request | string) => {
    const request = typeof asked === "string" ? new Request(new URL(asked, "http://console")) : asked;
    const path = new URL(request.url).pathname.replace("/api/v1", "");
    if (path === "/automation/timeline") state.timelines.push(new URL(request.url).searchParams.get("law"));
    if (request.method !== "GET") {
      const text = await request.text();
      sent.push({ method: request.method, path, body: text === "" ? null : JSON.parse(text) });
    }
    if (request.method === "DELETE") return new Response(null, { status: 204 });
    const session = { username: "ada", csrf_token: "t", expires_at: "2036-01-01T00:00:00Z", issuer: null };
    const answers: Record<string, () => unknown> = {
      "/auth/session": () => ({ ...session, role: state.role, must_change_password: false }),
      "/automation": () => ({ stopped: state.stopped, changed_at: "", changed_by: "ada", version: 1, laws: [] }),
      "/automation/timeline": () => ({ items: [], next: null }),
      "/policies": () => ({ items: state.modes, next: null }),
      "/policies/numasfp/fleet": () => ({ ...view, version: 3 }),
      "/control/numasfp/hosts": () => ({ items: state.hosts, next: null }),
      "/control/numasfp/hosts/edge-1": () => state.host,
      "/control/numasfp/parameters": () => state.parameters,
      "/recommendations/1/actions": () => ({}),
      "/policies/numasfp/host/edge-1": () => ({}),
    };
    const answer = answers[path];
    return answer ? Response.json(answer()) : new Promise<Response>(() => {});
  });
  return { state, sent };
});

const sent = () => wire.sent as Sent[];

beforeEach(() => {
  const hosts = [lawRow("edge-1", { violated: 1 }), lawRow("edge-2")];
  Object.assign(wire.state, {
    role: "admin",
    stopped: false,
    hosts,
    host: lawHost(),
    modes: [],
    parameters: PARAMETERS,
    timelines: [],
  });
  wire.sent.length = 0;
});
afterEach(cleanup);

async function open(address = "/automation?tab=numasfp&host=edge-1", listed = true): Promise<void> {
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", address);
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  const known = snapshot({ hosts: [host("edge-1")], chains: [chain("web")], recommendations: [swap()] });
  act(() => live.receive({ type: "events", events: [known] }));
  if (listed) await screen.findByRole("table", { name: "Hosts in NUMASFP’s law" });
}

const showing = (change: Partial<NumasfpHost>) => Object.assign(wire.state, { host: lawHost(change) });

it("opens by its tab, and keeps the tab in the address", async () => {
  await open("/automation?tab=numasfp");
  expect(screen.getByRole("link", { name: "NUMASFP" }).getAttribute("aria-current")).toBe("page");
  expect(screen.getByRole("link", { name: "All laws" }).getAttribute("aria-current")).toBeNull();
  expect(screen.getByText(/Choose a host to see its nodes/)).toBeTruthy();
});

it("asks for the timeline of its law alone, so that older entries are of it, too", async () => {
  await open("/automation?tab=numasfp");
  expect(await screen.findByText(/No decisions yet/)).toBeTruthy();
  expect(new Set(wire.state.timelines)).toEqual(new Set(["numasfp"]));
});

it("narrows the hosts to those with a violated chain", async () => {
  await open("/automation?tab=numasfp");
  const hosts = screen.getByRole("table", { name: "Hosts in NUMASFP’s law" });
  expect(within(hosts).getAllByRole("row")).toHaveLength(3);
  await userEvent.setup().click(screen.getByRole("checkbox", { name: "Violated only" }));
  await waitFor(() => expect(within(hosts).getAllByRole("row")).toHaveLength(2));
  expect(location.search).toContain("violated=true");
});

it("shows 15 of 1000 hosts at a time", async () => {
  wire.state.hosts = Array.from({ length: 1000 }, (_, at) => lawRow(`edge-${at + 1}`));
  await open("/automation?tab=numasfp");
  expect(await screen.findByText("1–15 of 1 000 hosts")).toBeTruthy();
});

it("draws each chain on its node, with what it carries, has, and how long it falls short", async () => {
  await open();
  const node = await screen.findByRole("list", { name: "Chains on node 1" });
  expect(within(node).getByText("5.8 of 8.8 Gbps")).toBeTruthy();
  expect(within(node).getByText("5 ways, 30 %")).toBeTruthy();
  expect(within(node).getByText("remote")).toBeTruthy();
  const chains = screen.getByRole("table", { name: "Chains of edge-1 in NUMASFP’s law" });
  const web = within(chains).getByRole("row", { name: /web/ });
  expect(within(web).getByRole("img", { name: /below 99 %.*: 4 of 4/ })).toBeTruthy();
  expect(within(web).getByText("6 s", { exact: false })).toBeTruthy();
  expect(within(web).getByText("2 to 8 ways, 10 to 90 %")).toBeTruthy();
  expect(screen.getAllByRole("img", { name: "simulated" }).length).toBeGreaterThan(0);
  await expectAccessible(screen.getByRole("main"));
});

it("accepts what is recommended, and says what it assumes of the cost", async () => {
  await open();
  const card = await screen.findByRole("region", { name: "Recommendation" });
  expect(within(card).getByText("Swap nat and web: +3.0 Gbps")).toBeTruthy();
  expect(await within(card).findByText(/6.0 Gbit, assumed/)).toBeTruthy();
  const user = userEvent.setup();
  await user.click(within(card).getByRole("button", { name: "Why" }));
  expect(within(card).getByText(/web is offered 8.8 Gbps and carries 5.8 on node 1/)).toBeTruthy();
  await user.click(within(card).getByRole("button", { name: "Accept" }));
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toEqual({ method: "POST", path: "/recommendations/1/actions", body: { action: "accept" } });
});

it("offers no decision to a viewer", async () => {
  wire.state.role = "viewer";
  await open();
  const card = await screen.findByRole("region", { name: "Recommendation" });
  await userEvent.setup().click(within(card).getByRole("button", { name: /Accept/ }));
  expect(sent()).toEqual([]);
});

it("sets the host's mode before the fleet's", async () => {
  await open();
  const slider = await screen.findByRole("slider");
  expect(slider.getAttribute("aria-valuetext")).toBe("Recommend");
  fireEvent.change(slider, { target: { value: "4" } });
  expect(screen.getByText(/applied at once on edge-1, and recommended on every other host/)).toBeTruthy();
  await userEvent.setup().click(screen.getByRole("button", { name: "Set policy" }));
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toEqual({ method: "PUT", path: "/policies/numasfp/host/edge-1", body: { mode: "automatic" } });
});

it("says what is missing: levels, chains, and that all is stopped", async () => {
  wire.state.stopped = true;
  showing({ table: null, chains: [], stopped: "all control laws are stopped, by ada", recommendation_id: null });
  await open();
  expect(await screen.findByText(/No levels were promoted for its host model/)).toBeTruthy();
  expect(screen.getByText(/No chain runs here/)).toBeTruthy();
  expect(screen.getAllByText(/all control laws are stopped/i).length).toBeGreaterThan(0);
  expect(screen.queryByRole("region", { name: "Recommendation" })).toBeNull();
});

it("leads to the levels where the law looks at no host yet", async () => {
  wire.state.hosts = [];
  await open("/automation?tab=numasfp", false);
  expect(await screen.findByText(/The law looks at hosts that run a chain/)).toBeTruthy();
});

it("counts moves above sixteen in figures, and lists who gave up ways to whom", async () => {
  const transfers = [{ at: AT, from_chain: "nat", to_chain: "web", ways: 2, reason: "web needs 7 ways for 8.8 Gbps" }];
  showing({ budget_moves: 40, chains: [NAT, WEB, lawChain("long", { node: null, local: null })], transfers });
  await open();
  expect(await screen.findByText("0 of 40")).toBeTruthy();
  expect(screen.getByRole("row", { name: /2 ways from nat to web.*needs 7 ways/ })).toBeTruthy();
  expect(screen.getByText(/On several nodes, and left where they are: long/)).toBeTruthy();
});

it("finds a host among many by its name, and lists those in need first", async () => {
  const calm = Array.from({ length: 20 }, (_, at) => lawRow(`edge-${at + 1}`));
  wire.state.hosts = [...calm, lawRow("lab-1", { violated: 2 })];
  await open("/automation?tab=numasfp", false);
  expect(await screen.findByText("21 of 21 hosts that the law looks at, most in need first")).toBeTruthy();
  const [, first] = within(screen.getByRole("table", { name: "Hosts in NUMASFP’s law" })).getAllByRole("row");
  expect(first?.textContent).toContain("lab-1");
  const find = screen.getByRole("searchbox", { name: "Show only hosts whose name contains" });
  await userEvent.setup().type(find, "lab");
  expect(await screen.findByText("1 of 21 hosts that the law looks at")).toBeTruthy();
  await userEvent.setup().type(find, "x");
  expect(await screen.findByText("No host’s name contains “labx”.")).toBeTruthy();
});

const MANY = "9".repeat(1_000_000);
const ABSURD = ["1e309", "-1", "NaN", "Infinity", "", "0x10", "1,5", "1 0", "１２", "٣", MANY];

async function parametersForm(): Promise<HTMLElement> {
  await open();
  return screen.findByRole("form", { name: "Parameters of NUMASFP’s law" });
}

/** What stands beside a field, as a screen reader says it. */
function saidOf(field: HTMLElement): string {
  const ids = (field.getAttribute("aria-describedby") ?? "").split(" ");
  return ids.map((id) => document.getElementById(id)?.textContent ?? "").join("");
}

it("refuses absurd parameters with their range beside the field, and sends nothing", async () => {
  const form = await parametersForm();
  const field = within(form).getByRole("textbox", { name: "A gain lasts" });
  for (const text of [...ABSURD, "1.5", "0", "3601"]) {
    fireEvent.change(field, { target: { value: text } });
    expect(saidOf(field), text.slice(0, 9)).toBe("a whole number from 1 to 3600 is needed");
    fireEvent.submit(form);
  }
  fireEvent.change(field, { target: { value: "5" } });
  const pause = within(form).getByRole("textbox", { name: "May pause" });
  fireEvent.change(pause, { target: { value: "60001" } });
  expect(saidOf(pause)).toBe("a number from 0 to 60000 is needed, or nothing");
  fireEvent.submit(form);
  expect(sent()).toEqual([]);
});

it("sends changed parameters once when the button is pressed twice, and never for a viewer", async () => {
  const form = await parametersForm();
  const change = (to: HTMLElement) =>
    fireEvent.change(within(to).getByRole("textbox", { name: "A gain lasts" }), { target: { value: " 5 " } });
  change(form);
  const user = userEvent.setup();
  await user.dblClick(within(form).getByRole("button", { name: /Set parameters/ }));
  await waitFor(() => expect(sent().map(({ body }) => body)).toEqual([{ hold_intervals: 5 }]));
  cleanup();
  wire.sent.length = 0;
  wire.state.role = "viewer";
  const viewers = await parametersForm();
  change(viewers);
  fireEvent.submit(viewers);
  expect(sent()).toEqual([]);
});
