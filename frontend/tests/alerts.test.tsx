/** Alerts: the mark in the top bar, the table with its actions, and the form of a rule. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { AlertsTable } from "@/alerts/alerts-table";
import { channelOf, EMPTY_CHANNEL } from "@/alerts/channel-draft";
import { Channels } from "@/alerts/channels";
import { Deliveries } from "@/alerts/deliveries";
import { draftOf, readDraft, ruleOptions } from "@/alerts/rule-draft";
import { Silences } from "@/alerts/silences";
import { AlertsMark } from "@/alerts/top-bar";
import { heldText, openText, openTitle, pageOf } from "@/alerts/words";
import { sessionQuery } from "@/api/queries";
import type { Alert, AlertRule, Silence } from "@/api/types";
import { reduce } from "@/live/state";
import { live } from "@/live/store";
import { snapshot } from "./fixtures";
import { heartbeats } from "./heartbeats";

const { sent, answers } = await vi.hoisted(() => import("./wire"));

const ALERT: Alert = {
  id: 3,
  kind: "slo_violated",
  severity: "critical",
  object_kind: "chain",
  object_name: "web-edge",
  state: "firing",
  summary: "web-edge misses its objective",
  cause: "On edge-1 it carries 0.10 Mpps, the objective is at least 0.45; 0.50 Mpps are offered.",
  next_step: "sextant plans ask",
  pending_since: "2026-01-01T00:00:00Z",
  fired_at: "2026-01-01T00:00:30Z",
  unknown_since: null,
  resolved_at: null,
  resolved_because: null,
  acknowledged: null,
  silence_id: null,
  version: 1,
};

const SILENCE: Silence = {
  id: 7,
  matcher: { kind: "slo_violated", severity: null, object_kind: null, object_name: "web-*" },
  reason: "maintenance",
  created_by: "ada",
  created_at: "2026-01-01T00:00:00Z",
  until: "2036-01-01T02:00:00Z",
  ended_at: null,
  ended_by: null,
  active: true,
};

const RULE: AlertRule = {
  kind: "operation_failed",
  title: "Operation failed",
  summary: "An operation waits for somebody",
  object_kind: "operation",
  enabled: true,
  severity: "critical",
  fire_after_s: 0,
  resolve_after_s: 0,
  repeat_after_s: 14_400,
  parameters: [
    { name: "ended_minutes", title: "Show for", unit: "min", value: 60, default: 60, least: 0, most: 10_080 },
  ],
  changed_at: null,
  changed_by: null,
  version: 0,
};

const COUNTS = { critical: 2, warning: 1, info: 0, acknowledged: 1, silenced: 0, revision: 4 };

async function show(part: ReactNode, role: "admin" | "operator" | "viewer" = "operator"): Promise<void> {
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  const session = {
    username: "ada",
    role,
    csrf_token: "t",
    expires_at: "2036-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  live.receive({ type: "status", status: "open" });
  live.receive({ type: "events", events: [snapshot({ alerts: COUNTS })] });
  heartbeats();
  const router = createRouter({
    routeTree: createRootRoute({ component: () => part }),
    history: createMemoryHistory(),
  });
  await router.load();
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  sent.length = 0;
  answers.clear();
  answers.set("GET /alerts?state=firing&limit=50", { status: 200, body: { items: [ALERT], next: null } });
  answers.set("GET /alert-silences?active=true&limit=200", { status: 200, body: { items: [SILENCE], next: null } });
});

describe("the mark in the top bar", () => {
  it("counts what needs somebody, by severity", async () => {
    await show(<AlertsMark />);
    const mark = screen.getByTestId("alerts-mark");
    expect(mark.textContent).toBe("2 critical1 warning");
    expect(mark.getAttribute("title")).toBe("2 critical, 1 warning; 1 acknowledged");
    expect(mark.getAttribute("href")).toBe("/alerts");
  });

  it("follows the stream, and takes no older count for a newer one", () => {
    const before = reduce(live.getState(), [snapshot({ alerts: COUNTS })]);
    const none = { ...COUNTS, critical: 0, warning: 0, revision: 5 };
    const after = reduce(before, [{ event: "alerts", counts: none }]);
    expect(openText(after.alerts)).toBe("");
    expect(reduce(after, [{ event: "alerts", counts: COUNTS }]).alerts).toBe(after.alerts);
  });
});

describe("words", () => {
  it("says what is held apart", () => {
    expect(heldText({ ...COUNTS, silenced: 3 })).toBe("1 acknowledged, 3 silenced");
    expect(openTitle({ ...COUNTS, critical: 0, warning: 0, acknowledged: 0 })).toBe("0 open alerts");
  });

  it("knows the page of what an alert is about", () => {
    expect(pageOf(ALERT)).toBe("/chains/web-edge");
    expect(pageOf({ ...ALERT, object_kind: "volume" })).toBeNull();
  });
});

describe("the table", () => {
  it("shows cause and next step of each alert", async () => {
    await show(<AlertsTable filter={{ state: "firing" }} onSort={vi.fn()} />);
    expect(await screen.findByRole("rowheader", { name: "web-edge misses its objective" })).toBeDefined();
    expect(screen.getByText(/carries 0.10 Mpps/).textContent).toContain("Next: sextant plans ask");
    expect(screen.getByRole("link", { name: "chain web-edge" }).getAttribute("href")).toBe("/chains/web-edge");
  });

  it("sends an acknowledgement with its note", async () => {
    await show(<AlertsTable filter={{ state: "firing" }} onSort={vi.fn()} />);
    await userEvent.click(await screen.findByRole("button", { name: /^Acknowledge/ }));
    await userEvent.type(screen.getByLabelText("Note"), " moving its nids ");
    await userEvent.click(within(screen.getByRole("alertdialog")).getByRole("button", { name: "Acknowledge" }));
    await waitFor(() =>
      expect(sent).toContainEqual({ method: "POST", path: "/alerts/3/acknowledge", body: { note: "moving its nids" } }),
    );
  });

  it("silences the rule about the object, with a reason", async () => {
    await show(<AlertsTable filter={{ state: "firing" }} onSort={vi.fn()} />);
    await userEvent.click(await screen.findByRole("button", { name: /^Silence/ }));
    const dialog = within(screen.getByRole("alertdialog"));
    await userEvent.click(dialog.getByRole("button", { name: "Silence" }));
    expect(sent.filter(({ method }) => method === "POST")).toEqual([]);
    await userEvent.type(screen.getByLabelText("Why"), "maintenance");
    await userEvent.click(dialog.getByRole("button", { name: "Silence" }));
    await waitFor(() => expect(sent.some(({ path }) => path === "/alert-silences")).toBe(true));
    const body = sent.find(({ path }) => path === "/alert-silences")?.body as Record<string, string>;
    expect(body).toMatchObject({ kind: "slo_violated", object_kind: "chain", object_name: "web-edge" });
    const hours = (Date.parse(body.until ?? "") - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(1.9);
    expect(hours).toBeLessThanOrEqual(2);
  });

  it("tells a viewer which role it takes", async () => {
    await show(<AlertsTable filter={{ state: "firing" }} onSort={vi.fn()} />, "viewer");
    const button = await screen.findByRole("button", { name: /^Silence/ });
    expect(button.getAttribute("aria-disabled")).toBe("true");
  });
});

describe("silences", () => {
  it("are shown while they are in force, and can be ended", async () => {
    await show(<Silences sort={undefined} onSort={vi.fn()} />);
    expect(await screen.findByText("slo_violated web-*")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: /^End/ }));
    await waitFor(() => expect(sent.some(({ path }) => path === "/alert-silences/7/end")).toBe(true));
  });
});

describe("the form of a rule", () => {
  it("gives the command of what differs", () => {
    const draft = { ...draftOf(RULE), severity: "warning" as const, parameters: { ended_minutes: "5" } };
    const { change, errors } = readDraft(draft, RULE);
    expect(errors).toEqual({});
    expect(change && ruleOptions(change, RULE)).toBe(" --severity warning --set ended_minutes=5");
  });

  it("names a threshold out of its bounds, and an empty one", () => {
    const { change, errors } = readDraft(
      { ...draftOf(RULE), fireAfter: "", parameters: { ended_minutes: "-1" } },
      RULE,
    );
    expect(change).toBeNull();
    expect(errors).toEqual({
      fire_after_s: "a number from 0 to 86400",
      "parameters.ended_minutes": "a number from 0 to 10080",
    });
  });
});

describe("a new channel", () => {
  it("is asked for once its fields are filled in", () => {
    expect(channelOf(EMPTY_CHANNEL)).toBeNull();
    const hook = { ...EMPTY_CHANNEL, name: " ops ", url: " https://hooks.example.org/x " };
    expect(channelOf(hook)).toEqual({
      name: "ops",
      target: { kind: "webhook", url: "https://hooks.example.org/x", secret: null },
      least_severity: "warning",
      send_resolved: true,
    });
    const mail = { ...EMPTY_CHANNEL, kind: "email" as const, name: "noc", server: "mail", sender: "a@b.c" };
    expect(channelOf(mail)).toBeNull();
    expect(channelOf({ ...mail, recipients: "x@b.c, y@b.c," })?.target).toMatchObject({
      recipients: ["x@b.c", "y@b.c"],
      port: 587,
      username: null,
    });
  });

  it("shows its secret once, and the command that does the same", async () => {
    answers.set("GET /notification-channels?limit=200", { status: 200, body: { items: [], next: null } });
    answers.set("POST /notification-channels", {
      status: 201,
      body: { channel: { id: 1, name: "ops", version: 1 }, secret: "whsec_made" },
    });
    await show(<Channels sort={undefined} onSort={vi.fn()} />, "admin");
    expect(await screen.findByText(/shown here and sent nowhere/)).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Add a channel" }));
    await userEvent.type(screen.getByLabelText("Name"), "ops");
    await userEvent.type(screen.getByLabelText("Address"), "https://hooks.example.org/x");
    await userEvent.click(screen.getByRole("button", { name: "Add channel" }));
    expect(await screen.findByText("whsec_made")).toBeDefined();
    expect(sent.find(({ method }) => method === "POST")?.path).toBe("/notification-channels");
  });
});

describe("deliveries", () => {
  it("say who was told when, and why not", async () => {
    const log = [{ at: "2026-01-01T00:01:00Z", duration_ms: 12, status: 500, error: "it answered 500" }];
    const delivery = {
      id: 9,
      delivery_id: "0b9c",
      channel: "ops",
      event: "alert.fired",
      state: "failed",
      alerts: [3],
      attempts: 8,
      created_at: "2026-01-01T00:00:00Z",
      next_attempt_at: null,
      delivered_at: null,
      error: "it answered 500",
      log,
    };
    answers.set("GET /notification-deliveries?limit=20", { status: 200, body: { items: [delivery], next: null } });
    await show(<Deliveries sort={undefined} onSort={vi.fn()} />);
    expect(await screen.findByText("failed: it answered 500")).toBeDefined();
    expect(screen.getByText("8").getAttribute("title")).toContain("it answered 500 (12 ms)");
  });
});
