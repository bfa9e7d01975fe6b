/** The tab CoCo of the page Automation: hosts that share cores, one host's columns, its push. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createAppRouter } from "@/app/routes";
import { live } from "@/live/store";
import { COCO_PARAMETERS, cocoHost, cocoRow, push } from "./coco-fixtures";
import { chain, host, snapshot } from "./fixtures";
import { swap } from "./numasfp-fixtures";
import { expectAccessible } from "./plan-page";

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
      "/policies/coco/fleet": () => ({ ...view, version: 3 }),
      "/control/coco/hosts": () => ({ items: state.hosts, next: null }),
      "/control/coco/hosts/edge-1": () => state.host,
      "/control/coco/parameters": () => state.parameters,
      "/recommendations/1/actions": () => ({}),
    };
    const answer = answers[path];
    const headers = { ETag: '"7"' };
    return answer ? Response.json(answer(), { headers }) : new Promise<Response>(() => {});
  });
  return { state, sent };
});

beforeEach(() => {
  const hosts = [cocoRow("edge-1", { overloaded: 1, fullest_percent: 120 }), cocoRow("edge-2")];
  Object.assign(wire.state, { hosts, host: cocoHost(), parameters: COCO_PARAMETERS });
  wire.sent.length = 0;
});
afterEach(cleanup);

async function open(address = "/automation?tab=coco&host=edge-1"): Promise<void> {
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", address);
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  const known = snapshot({ hosts: [host("edge-1")], chains: [chain("web")], recommendations: [push(swap())] });
  act(() => live.receive({ type: "events", events: [known] }));
  await screen.findByText(/whose NFs share cores/);
}

it("draws NFs on their cores, the overload, and where the push would put its NF", async () => {
  await open();
  const cores = await screen.findByRole("list", { name: "Cores of edge-1" });
  expect(within(cores).getByText("120 % needed")).toBeTruthy();
  expect(within(cores).getAllByText("web.b")).toHaveLength(2);
  expect(within(cores).getByText(/uses 60 %, needs 72 %; grew most/)).toBeTruthy();
  expect(screen.getByRole("list", { name: "Hops between cores" }).textContent).toContain("core 0 → core 1");
  await expectAccessible(screen.getByRole("main"));
});

it("accepts the push", async () => {
  await open();
  const card = await screen.findByRole("region", { name: "Recommendation" });
  expect(within(card).getByText("Push web.b aside to core 1: +1.6 Gbps")).toBeTruthy();
  expect(within(card).getByText("lacks 20 % of its time; the push frees 48 %")).toBeTruthy();
  const user = userEvent.setup();
  await user.click(within(card).getByRole("button", { name: "Why" }));
  expect(within(card).getByText(/since web.a has grown/)).toBeTruthy();
  await user.click(within(card).getByRole("button", { name: "Accept" }));
  await waitFor(() => expect(wire.sent).toHaveLength(1), { timeout: 5000 });
  expect(wire.sent[0]).toEqual({ method: "POST", path: "/recommendations/1/actions", body: { action: "accept" } });
});

it("narrows the hosts to those that are overloaded", async () => {
  await open("/automation?tab=coco");
  const hosts = await screen.findByRole("table", { name: "Hosts in CoCo’s law" });
  expect(within(hosts).getAllByRole("row")).toHaveLength(3);
  await userEvent.setup().click(screen.getByRole("checkbox", { name: "Overloaded only" }));
  await waitFor(() => expect(within(hosts).getAllByRole("row")).toHaveLength(2), { timeout: 5000 });
  expect(location.search).toContain("overloaded=true");
});

it("changes a parameter with the tag that was seen", async () => {
  await open("/automation?tab=coco");
  const form = await screen.findByRole("form", { name: "Parameters of CoCo’s law" });
  const user = userEvent.setup();
  const rest = within(form).getByLabelText(/^Rest/);
  await user.clear(rest);
  await user.type(rest, "20");
  await user.click(within(form).getByRole("button", { name: /Set parameters/ }));
  await waitFor(() => expect(wire.sent).toHaveLength(1), { timeout: 5000 });
  expect(wire.sent[0]).toEqual({ method: "PATCH", path: "/control/coco/parameters", body: { rest_s: 20 } });
});

it("says why no host is listed", async () => {
  wire.state.hosts = [];
  await open("/automation?tab=coco");
  expect(await screen.findByText(/there is nobody to push aside/)).toBeTruthy();
});
