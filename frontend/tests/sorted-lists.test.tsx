/** Lists that come page by page: their heads ask the server, and its order is the one shown. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { createAppRouter } from "@/app/routes";
import { live } from "@/live/store";
import { operationsSearch, plansSearch } from "@/pages/searches";
import { operation, snapshot } from "./fixtures";

const wire = vi.hoisted(() => {
  const state = { asked: [] as string[], items: {} as Record<string, unknown[]> };
  vi.stubGlobal("fetch", (asked: Request | string) => {
    const url = new URL(typeof asked === "string" ? asked : asked.url, "http://console");
    if (url.pathname.endsWith("/operations")) {
      const sort = url.searchParams.get("sort") ?? "";
      state.asked.push(sort);
      return Promise.resolve(Response.json({ items: state.items[sort] ?? [], next: null }));
    }
    const session = {
      username: "ada",
      role: "operator",
      csrf_token: "t",
      expires_at: "2036-01-01T00:00:00Z",
      must_change_password: false,
      issuer: null,
    };
    return url.pathname.includes("/auth/session")
      ? Promise.resolve(Response.json(session))
      : new Promise<Response>(() => {});
  });
  return state;
});

afterEach(cleanup);

const rows = () =>
  within(screen.getByRole("table", { name: "Operations" }))
    .getAllByRole("row")
    .slice(1)
    .map((row) => row.children[0]?.textContent);

it("asks for one way, the other, and the list's own order, and shows rows as they were sorted", async () => {
  const [waits, ended, runs] = [
    operation(3, { state: "FAILED_TEMP" }),
    operation(4, { state: "COMPLETED", finished_at: "2026-03-01T10:00:00Z" }),
    operation(5),
  ];
  wire.items = { "": [runs, ended, waits], "-finished_at": [ended, waits, runs], finished_at: [runs, waits, ended] };
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", "/operations");
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  act(() => live.receive({ type: "events", events: [snapshot({})] }));
  await screen.findByRole("button", { name: "Ended" });
  expect(rows()).toEqual(["3", "5", "4"]); // what waits for somebody first, then the newest
  for (const [sort, ids, way] of [
    ["-finished_at", ["4", "3", "5"], "descending"],
    ["finished_at", ["5", "3", "4"], "ascending"],
    [undefined, ["3", "5", "4"], "none"],
  ] as const) {
    await userEvent.click(screen.getByRole("button", { name: "Ended" }));
    await vi.waitFor(() => expect(rows()).toEqual(ids));
    expect(router.state.location.search).toEqual(sort ? { sort } : {});
    expect(screen.getByRole("columnheader", { name: "Ended" }).getAttribute("aria-sort")).toBe(way);
  }
  expect(wire.asked.slice(0, 3)).toEqual(["", "-finished_at", "finished_at"]);
});

it("takes from an address only what the server sorts by", () => {
  expect(operationsSearch({ sort: "-started_at" })).toEqual({ sort: "-started_at" });
  expect(operationsSearch({ sort: "title" })).toEqual({});
  expect(plansSearch({ sort: "-changes" })).toEqual({ sort: "-changes" });
  expect(plansSearch({ sort: "started_at" })).toEqual({});
});
