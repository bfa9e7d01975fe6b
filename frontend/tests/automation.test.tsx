/** The page Automation: laws, the switch, policies of hosts and chains, the timeline. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it, vi } from "vitest";
import type { ScopedPolicy, TimelineEntry } from "@/api/types";
import { createAppRouter } from "@/app/routes";
import { live } from "@/live/store";
import { cli } from "@/session/cli";
import { AT, chain, host, snapshot } from "./fixtures";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const console_ = vi.hoisted(() => {
  const state = { role: "admin", stopped: false, policies: [] as unknown[], timeline: [] as unknown[] };
  const sent: unknown[] = [];
  vi.stubGlobal("fetch", async (asked: Request | string) => {
    const request = typeof asked === "string" ? new Request(new URL(asked, "http://console")) : asked;
    const path = new URL(request.url).pathname.replace("/api/v1", "");
    if (request.method !== "GET") {
      const text = await request.text();
      sent.push({ method: request.method, path, body: text === "" ? null : JSON.parse(text) });
    }
    const automation = () => ({
      stopped: state.stopped,
      changed_at: "2036-01-01T00:00:00Z",
      changed_by: "ada",
      version: 3,
      laws: [
        {
          name: "octans",
          title: "Octans re-placement",
          summary: "Moves running NFs.",
          mode: "recommend",
          status: "nothing is to be gained",
          evaluated_at: "2036-01-01T00:00:00Z",
        },
      ],
    });
    if (path === "/auth/session")
      return Response.json({
        username: "ada",
        role: state.role,
        csrf_token: "t",
        expires_at: "2036-01-01T00:00:00Z",
        must_change_password: false,
        issuer: null,
      });
    if (path === "/automation" && request.method === "PUT") state.stopped = !state.stopped;
    if (path === "/automation") return Response.json(automation());
    if (path === "/policies") return Response.json({ items: state.policies, next: null });
    if (path === "/automation/timeline") return Response.json({ items: state.timeline, next: null });
    if (path.startsWith("/policies/octans/") && request.method === "PUT")
      return Response.json({ id: 9, law: "octans", scope: "host", name: "edge-1", mode: "manual" });
    if (request.method === "DELETE") return new Response(null, { status: 204 });
    return new Promise<Response>(() => {});
  });
  return { state, sent };
});

const OF_HOST: ScopedPolicy = {
  id: 2,
  law: "octans",
  scope: "host",
  name: "edge-1",
  mode: "manual",
  changed_at: AT,
  changed_by: "ada",
};
const OF_FLEET: ScopedPolicy = { ...OF_HOST, id: 1, scope: "fleet", name: null, mode: "recommend" };
const MADE: TimelineEntry = {
  id: 5,
  at: AT,
  event: "recommendation.make",
  law: "octans",
  actor: "system",
  recommendation_id: 1,
  plan_id: 7,
  text: "recommended 1 move of web on edge-1, for a predicted gain of 2.44 value x Mpps",
};

beforeEach(() => {
  Object.assign(console_.state, { role: "admin", stopped: false, policies: [OF_FLEET], timeline: [] });
  console_.sent.length = 0;
});

async function open(): Promise<void> {
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", "/automation");
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  act(() => live.receive({ type: "events", events: [snapshot({ hosts: [host("edge-1")], chains: [chain("web")] })] }));
  await screen.findByRole("table", { name: "Control laws" });
}

const sent = () => console_.sent as Sent[];

it("shows every law with its policy and status, and says where nothing else is set", async () => {
  await open();
  const laws = screen.getByRole("table", { name: "Control laws" });
  expect(
    within(laws).getByRole("row", { name: /Octans re-placement.*recommend.*nothing is to be gained/ }),
  ).toBeTruthy();
  expect(await screen.findByText("The fleet’s policy applies to every host and chain.")).toBeTruthy();
  expect(await screen.findByText(/No decisions yet/)).toBeTruthy();
});

it("stops all laws, and lets them go on", async () => {
  await open();
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Stop all automation" }));
  expect(await screen.findByText("all control laws are stopped, by ada")).toBeTruthy();
  await user.click(await screen.findByRole("button", { name: "Resume automation" }));
  expect(await screen.findByRole("button", { name: "Stop all automation" })).toBeTruthy();
  expect(sent().map(({ body }) => body)).toEqual([{ stopped: true }, { stopped: false }]);
});

it("changes and clears the policy of a host", async () => {
  console_.state.policies = [OF_FLEET, OF_HOST];
  await open();
  const user = userEvent.setup();
  const mode = await screen.findByRole("radiogroup", { name: "Policy of host edge-1" });
  await user.click(within(mode).getByRole("radio", { name: "Automatic" }));
  await user.click(screen.getByRole("button", { name: "Clear" }));
  await waitFor(() => expect(sent()).toHaveLength(2));
  expect(sent()).toEqual([
    { method: "PUT", path: "/policies/octans/host/edge-1", body: { mode: "automatic" } },
    { method: "DELETE", path: "/policies/octans/host/edge-1", body: null },
  ]);
});

it("offers no change to a viewer, and says why", async () => {
  console_.state.role = "viewer";
  console_.state.policies = [OF_FLEET, OF_HOST];
  await open();
  const button = screen.getByRole("button", { name: /Stop all automation/ });
  await userEvent.setup().click(button);
  expect(sent()).toEqual([]);
});

it("lists decisions with their plans", async () => {
  console_.state.timeline = [MADE];
  await open();
  const timeline = await screen.findByRole("table", { name: "Timeline" });
  expect(within(timeline).getByRole("link", { name: "7" }).getAttribute("href")).toBe("/plans/7");
  expect(
    within(timeline).getByText("recommended 1 move of web on edge-1, for a predicted gain of 2.44 value × Mpps"),
  ).toBeTruthy();
});

it("gives each change as a command", () => {
  expect(cli.setScopedPolicy("octans", "chain", "web", "manual")).toBe(
    "sextant policy set --law octans --chain web --mode manual",
  );
  expect(cli.switchAutomation(true)).toBe("sextant automation stop");
  expect(cli.timeline("numasfp")).toBe("sextant automation timeline --law numasfp");
});
