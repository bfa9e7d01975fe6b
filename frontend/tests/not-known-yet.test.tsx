/** No page says anything about the fleet that was not reported: every route of the console, with nothing answered. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { createAppRouter } from "@/app/routes";
import { instant } from "@/lib/format";
import { live } from "@/live/store";
import { chain, host, nf, snapshot } from "./fixtures";

/** The client takes `fetch` when it is imported, so this stands before. Only the session is answered. */
vi.hoisted(() => {
  vi.stubGlobal("fetch", (asked: Request | string) => {
    const url = typeof asked === "string" ? asked : asked.url;
    const session = {
      username: "admin",
      role: "admin",
      csrf_token: "t",
      expires_at: "2036-01-01T00:00:00Z",
      must_change_password: false,
      issuer: null,
    };
    return url.includes("/auth/session") ? Promise.resolve(Response.json(session)) : new Promise(() => {});
  });
});

/** These stand before the console, and show nothing of the fleet. */
const BEFORE = ["/sign-in", "/change-password"];

/** Every address of the console; a page that is added to the routes is tried by itself. */
const PATHS = Object.keys(createAppRouter(new QueryClient()).routesByPath)
  .filter((path) => !BEFORE.includes(path))
  .map((path) =>
    path
      .replace("/chains/$name", "/chains/web")
      .replace(/\$(name|id)\b/, "edge-1")
      .replace(/\$\w+/, "1"),
  );

/** A count of nothing, or a word for it. Forms may say what they were given: their pages are tried before the snapshot. */
const NOTHING =
  /(^|[^\d.])0 (of|hosts?|chains?|plans?|operations?|jobs?|cores)\b|\bno\b|\bnone\b|\bnothing\b|\bnever\b/i;

async function open(path: string): Promise<void> {
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", path);
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  await screen.findByRole("main");
}

/** What the page says, with a space between parts. */
function said(): string {
  const walk = (node: Node): string =>
    node.nodeType === Node.TEXT_NODE ? (node.textContent ?? "") : [...node.childNodes].map(walk).join(" ");
  return walk(screen.getByRole("main")).replace(/\s+/g, " ");
}

function receive(parts: Parameters<typeof snapshot>[0]): void {
  act(() => live.receive({ type: "events", events: [snapshot(parts)] }));
}

describe("before the first snapshot", () => {
  it.each(PATHS)("%s asserts nothing", async (path) => {
    await open(path);
    expect(said().trim()).toBe("Connecting to the console");
  });

  it("says that the stream cannot be opened, and offers to try again", async () => {
    await open("/");
    act(() => live.receive({ type: "status", status: "broken" }));
    expect(said()).toContain("the present state of the fleet is unknown");
    expect(screen.getByRole("button", { name: "Retry now" })).toBeTruthy();
  });
});

describe("before what is fetched has come", () => {
  const web = chain("web");
  const parts = { hosts: [host("edge-1")], chains: [web], nfs: [nf("web.router", "edge-1", 0)] };
  const lists = PATHS.filter((path) =>
    /^\/(plans|operations|profiling|artefacts|nf-types|studies)(\/\d+)?$/.test(path),
  );

  it.each(lists)("%s asserts nothing", async (path) => {
    await open(path);
    receive(parts);
    expect(said()).not.toMatch(NOTHING);
    expect(said()).toMatch(/Loading/);
  });
});

describe("a stream that has broken", () => {
  it("leaves what was known, as of when it was", async () => {
    const heard = new Date(Date.now() - 60_000);
    await open("/");
    receive({ hosts: [host("edge-1")], chains: [] });
    expect(said()).toContain("No chain runs.");
    expect(said()).not.toContain(instant(heard));
    act(() => live.receive({ type: "heard", at: heard.getTime() }));
    await waitFor(() => expect(said()).toContain(`At ${instant(heard)} : No chain runs.`));
    expect(said()).toContain(`Needs attention At ${instant(heard)} : nothing`);
  });
});
