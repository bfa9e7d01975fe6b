/** The audit log: its filter in the address, what differs of an object, and rows that open. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import type { AuditEntry } from "@/api/types";
import { createAppRouter } from "@/app/routes";
import { fieldChanges } from "@/audit/changes";
import { auditCommand, auditFilter, auditParams, localInput } from "@/audit/filter";
import { live } from "@/live/store";
import { snapshot } from "./fixtures";

const answers = vi.hoisted(() => {
  const SEAL = { batch: null as unknown, waiting: 0, waiting_since: null as string | null };
  const state = { role: "operator", asked: [] as string[], items: [] as unknown[], seal: SEAL };
  vi.stubGlobal("fetch", (asked: Request | string) => {
    const url = typeof asked === "string" ? asked : asked.url;
    if (url.includes("/audit/seal")) return Promise.resolve(Response.json(state.seal));
    if (url.includes("/audit")) {
      state.asked.push(new URL(url, "http://console").search);
      return Promise.resolve(Response.json({ items: state.items, next: null }));
    }
    const session = {
      username: "ada",
      role: state.role,
      csrf_token: "t",
      expires_at: "2036-01-01T00:00:00Z",
      must_change_password: false,
      issuer: null,
    };
    return url.includes("/auth/session") ? Promise.resolve(Response.json(session)) : new Promise(() => {});
  });
  return state;
});

const ENTRY: AuditEntry = {
  id: 7,
  at: "2026-03-01T09:00:00Z",
  actor: "ada",
  actor_kind: "token",
  token: "laptop",
  action: "chain.adjust",
  subject: "chain/web",
  object_kind: "chain",
  object_id: "web",
  object_name: null,
  request_id: "r7",
  reason: null,
  detail: { paused: "True" },
  before: { paused: false, nfs: { router: { cpu_share: 100 } } },
  after: { paused: true, nfs: { router: { cpu_share: 100 } } },
  batch: 1,
};

async function open(address: string): Promise<void> {
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", address);
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  act(() => live.receive({ type: "events", events: [snapshot({})] }));
  await screen.findByRole("heading", { name: "Audit" });
}

describe("what differs", () => {
  it("is named by the way to it, with what is empty, gone and new", () => {
    const before = { rate: 1, nfs: [{ name: "a" }], match: {}, gone: 5, none: null };
    const after = { rate: 2, nfs: [{ name: "a" }, { name: "b" }], match: {}, text: "" };
    expect(fieldChanges(before, after)).toEqual([
      { field: "gone", before: "5", after: null },
      { field: "nfs.1.name", before: null, after: "b" },
      { field: "rate", before: "1", after: "2" },
      { field: "text", before: null, after: '""' },
    ]);
  });

  it("is everything where there is one side, in the order of numbers", () => {
    const items = Array.from({ length: 11 }, (_, number) => number);
    const found = fieldChanges(null, { items });
    expect(found.map(({ field }) => field)).toEqual(items.map((number) => `items.${number}`));
    expect(fieldChanges({ a: 1 }, null)).toEqual([{ field: "a", before: "1", after: null }]);
    expect(fieldChanges(null, null)).toEqual([]);
  });
});

describe("the filter", () => {
  it("takes of an address what it knows, and nothing else", () => {
    const raw = {
      actor: "ada",
      kind: "planet",
      since: "yesterday",
      until: "2026-03-02T00:00:00Z",
      page: 3,
      object: "",
    };
    expect(auditFilter(raw)).toEqual({ actor: "ada", until: "2026-03-02T00:00:00.000Z" });
  });

  it("is the API's query and the command's options", () => {
    const filter = { actor: "ada ", kind: "chain", request: "r1", object: "it's" };
    expect(auditParams(filter)).toEqual({ actor: "ada", object_kind: "chain", request_id: "r1", object: "it's" });
    expect(auditCommand(filter)).toBe(`sextant audit --actor ada --object-kind chain --object 'it'\\''s' --request r1`);
    expect(auditCommand({})).toBe("sextant audit");
  });

  it("shows a moment as a clock of this place does", () => {
    const noon = new Date(2026, 2, 1, 12, 30);
    expect(localInput(noon.toISOString())).toBe("2026-03-01T12:30");
    expect(localInput(undefined)).toBe("");
  });
});

describe("the page", () => {
  it("opens a row to what has changed, and links to the object", async () => {
    answers.items = [ENTRY];
    await open("/audit?actor=ada");
    const row = await screen.findByRole("row", { name: /laptop/ });
    expect(row.textContent).toContain("chain.adjust");
    expect(answers.asked.at(-1)).toContain("actor=ada");
    expect(row.textContent).toContain("token laptop");
    expect(screen.getByRole("link", { name: "chain web" }).getAttribute("href")).toBe("/chains/web");
    const opener = screen.getByRole("button", { name: /show details/ });
    expect(opener.getAttribute("aria-expanded")).toBe("false");
    fireEvent.click(opener);
    const cells = screen.getByRole("table", { name: "Before and after" }).querySelectorAll("tbody td");
    expect([...cells].map((cell) => cell.textContent)).toEqual(["paused", "false", "true"]);
    fireEvent.click(screen.getByRole("button", { name: /hide details/ }));
    expect(screen.queryByRole("table", { name: "Before and after" })).toBeNull();
  });

  it("says how far the log is sealed, and where nothing is sealed any more", async () => {
    answers.items = [ENTRY];
    const batch = { number: 4, sealed_at: "2025-03-01T09:00:00Z", digest: "ab" };
    answers.seal = { batch, waiting: 2, waiting_since: new Date().toISOString() };
    await open("/audit");
    expect(await screen.findByText(/^sealed up to 1 Mar 2025 .*, batch 4$/)).toBeTruthy();
    expect(screen.getByText("2 entries wait to be sealed")).toBeTruthy();
    cleanup();
    answers.seal = { batch: null, waiting: 1, waiting_since: "2025-03-01T09:00:00Z" };
    await open("/audit");
    expect((await screen.findByText(/^1 entry not sealed since 1 Mar 2025/)).className).toBe("bad");
  });

  it("says that nothing fits, and the way back to everything", async () => {
    answers.items = [];
    await open("/audit?action=plan");
    expect(await screen.findByText(/No entry fits/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "Show all" }).getAttribute("href")).toBe("/audit");
  });

  it("asks nothing for a viewer, and says which role it needs", async () => {
    answers.role = "viewer";
    const before = answers.asked.length;
    await open("/audit");
    expect(screen.getAllByText("Needs the role operator. You are viewer.").length).toBeGreaterThan(0);
    expect(answers.asked.length).toBe(before);
    answers.role = "operator";
  });
});
