/** New chain over several hosts: hosts are chosen, parts are sent, and what is refused stands at its field. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { plainProblem } from "@/api/problem";
import { createAppRouter } from "@/app/routes";
import { EMPTY_DRAFT, withNf } from "@/chains/draft";
import { forgetDraft, saveDraft } from "@/chains/keep-draft";
import { live } from "@/live/store";
import { host, snapshot } from "./fixtures";
import { nfType } from "./nf-type-fixtures";

interface Sent {
  url: string;
  body: { chains: { name: string; ingress: { host: string } }[] };
  answer: (body: unknown, status: number) => void;
}

/** The client takes `fetch` when it is imported, so this stands before. */
const { sent, catalogue } = vi.hoisted(() => {
  const sent: Sent[] = [];
  const catalogue: { items: unknown[] } = { items: [] };
  vi.stubGlobal("fetch", async (asked: Request | string) => {
    const url = typeof asked === "string" ? asked : asked.url;
    if (url.includes("/auth/session")) {
      return Response.json({
        username: "ada",
        role: "operator",
        permissions: ["chains.write"],
        csrf_token: "t",
        expires_at: "2036-01-01T00:00:00Z",
        must_change_password: false,
        issuer: null,
      });
    }
    if (url.includes("/nf-types")) return Response.json({ ...catalogue, next: null });
    if (typeof asked === "string" || asked.method !== "POST" || !url.includes("/chains")) return new Promise(() => {});
    const body = await asked.clone().json();
    return new Promise((resolve) => {
      sent.push({ url, body, answer: (content, status) => resolve(Response.json(content, { status })) });
    });
  });
  return { sent, catalogue };
});

const [ROUTER, NIDS] = [nfType("router", {}), nfType("nids", {})];
const DRAWN = { ...withNf(withNf(EMPTY_DRAFT, ROUTER, -1), NIDS, 0), name: "web", host: "lab-1" };
const LIMIT = { timeout: 20_000 };

async function open(): Promise<void> {
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", "/chains/new");
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  act(() => live.receive({ type: "events", events: [snapshot({ hosts: [host("lab-1"), host("lab-2")] })] }));
  await screen.findByRole("region", { name: "Prediction" }, LIMIT);
}

const submissions = () => sent.filter(({ url }) => !url.includes("/predictions"));

beforeEach(() => {
  sent.length = 0;
  catalogue.items = [ROUTER, NIDS];
  saveDraft(DRAWN);
});
afterEach(() => {
  cleanup();
  forgetDraft();
});

describe("a chain over several hosts", { timeout: 60_000 }, () => {
  it("is drawn by choosing from which NF on it stands on another, sent in parts, and refused at the field", async () => {
    await open();
    const strip = screen.getByRole("list", { name: "NFs of the chain, in order" });
    await userEvent.click(within(strip).getByRole("button", { name: /nids/ }));
    await userEvent.click(screen.getByRole("button", { name: /Host from here on/ }));
    await userEvent.click(await screen.findByRole("option", { name: "lab-2" }, LIMIT));
    await within(strip).findByText("from here on lab-2", undefined, LIMIT);
    expect(within(strip).getByText("from here on lab-1")).toBeTruthy();
    await screen.findByText(/Nothing is predicted of a chain over several hosts/, undefined, LIMIT);
    await userEvent.click(screen.getByRole("button", { name: "Submit and plan" }));
    await waitFor(() => expect(submissions().length).toBe(1), LIMIT);
    const [first] = submissions();
    expect(first?.url).toMatch(/\/chains\/batches$/);
    expect(first?.body.chains.map(({ name, ingress }) => [name, ingress.host])).toEqual([
      ["web", "lab-1"],
      ["web-part-2", "lab-2"],
    ]);
    const message = "lab-1 does not reach lab-2: no link in its srv6.toml leads to fc00:0:2::/48";
    const problem = plainProblem("validation", "Refused", "Refused because of chains.1.ingress.host.", 422);
    const errors = [{ field: "chains.1.ingress.host", message }];
    await act(async () => first?.answer({ ...problem, errors }, 422));
    const said = await screen.findByText(message, undefined, LIMIT);
    expect(said.parentElement?.textContent).toContain("Host from here on");
    expect(within(strip).getByRole("button", { name: /nids.*/ }).textContent).toContain("has errors");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});
