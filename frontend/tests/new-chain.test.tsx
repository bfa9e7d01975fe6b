/** What a chain would do while it is drawn: asked for once, the former request aborted, the last answer kept. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { plainProblem } from "@/api/problem";
import type { NewChainPrediction } from "@/api/types";
import { createAppRouter } from "@/app/routes";
import { EMPTY_DRAFT, withNf } from "@/chains/draft";
import { forgetDraft, saveDraft } from "@/chains/keep-draft";
import { asked as askedOf, UNNAMED } from "@/chains/use-new-chain";
import { live } from "@/live/store";
import { AT, snapshot } from "./fixtures";
import { nfType } from "./nf-type-fixtures";

interface Request_ {
  request: Request;
  answer: (body: unknown, status?: number) => void;
}

/** The client takes `fetch` when it is imported, so this stands before. */
const { requests, catalogue } = vi.hoisted(() => {
  const requests: Request_[] = [];
  const catalogue: { items: unknown[] } = { items: [] };
  vi.stubGlobal("fetch", (asked: Request | string) => {
    const url = typeof asked === "string" ? asked : asked.url;
    const session = {
      username: "ada",
      role: "viewer",
      csrf_token: "t",
      expires_at: "2036-01-01T00:00:00Z",
      must_change_password: false,
      issuer: null,
    };
    if (url.includes("/auth/session")) return Promise.resolve(Response.json(session));
    if (url.includes("/nf-types")) return Promise.resolve(Response.json({ ...catalogue, next: null }));
    if (!url.includes("/chains/predictions") || typeof asked === "string") return new Promise(() => {});
    return new Promise((resolve) => {
      const answer = (body: unknown, status = 200) => resolve(Response.json(body, { status }));
      requests.push({ request: asked, answer });
    });
  });
  return { requests, catalogue };
});

const ROUTER = nfType("router", {});
const FIREWALL = nfType("firewall", {});
const DRAWN = withNf(EMPTY_DRAFT, ROUTER, -1);

const ANSWER: NewChainPrediction = {
  chain: UNNAMED,
  taken_at: AT,
  host: "sim-1",
  nfs: [
    {
      nf_id: `${UNNAMED}.router`,
      nf_type: "router",
      seat: {
        host: "sim-1",
        node: 1,
        core: 8,
        slot: 0,
        llc_ways: null,
        memory_bandwidth_percent: null,
        cpu_share: null,
      },
      local: false,
      crosses: true,
      shares_with: 0,
    },
  ],
  prediction: {
    chain: UNNAMED,
    throughput_mpps: 4.7,
    low_mpps: 4.5,
    high_mpps: 4.9,
    interval_source: "held-out",
    bottleneck: `${UNNAMED}.router`,
    provenance: "predicted",
    assumes: [],
    throughput_slo: "missed",
    latency_slo: null,
    note: null,
    host: "sim-1",
    ingress_node: 0,
    nfs: [],
  },
  unmeasured: [],
  affected: [
    {
      chain: "web",
      before_mpps: 9.8,
      after_mpps: 9.2,
      low_mpps: 9,
      high_mpps: 9.4,
      provenance: "predicted",
      breaks_slo: true,
      longer: null,
    },
  ],
  others_mpps: -0.7,
  rejected: null,
  stopped: false,
  doubt: null,
  warnings: [],
  next_actions: [],
};

/** Of waiting for a condition: the machine may be busy. */
const LIMIT = { timeout: 20_000 };

async function open(): Promise<HTMLElement> {
  const client = new QueryClient();
  const router = createAppRouter(client);
  history.pushState(null, "", "/chains/new");
  render(
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await act(() => router.load());
  act(() => live.receive({ type: "events", events: [snapshot({})] }));
  return screen.findByRole("region", { name: "Prediction" }, LIMIT);
}

async function answered(number: number, body: unknown, status = 200): Promise<void> {
  await waitFor(() => expect(requests.length).toBe(number), LIMIT);
  await act(async () => requests[number - 1]?.answer(body, status));
}

beforeEach(() => {
  requests.length = 0;
  catalogue.items = [ROUTER, FIREWALL];
  saveDraft(DRAWN);
});
afterEach(() => {
  cleanup();
  forgetDraft();
});

describe("a chain that is drawn", { timeout: 60_000 }, () => {
  it("is asked about before it is named, and without its secrets", () => {
    expect(askedOf(EMPTY_DRAFT)).toEqual({ spec: null, errors: [] });
    expect(askedOf(DRAWN).spec?.name).toBe(UNNAMED);
    expect(askedOf({ ...DRAWN, name: "No!" }).errors.map(({ field }) => field)).toEqual(["name"]);
    const secret = { ...DRAWN, nfs: DRAWN.nfs.map((nf) => ({ ...nf, secrets: { key: "deadbeef" } })) };
    expect(JSON.stringify(askedOf(secret).spec)).not.toContain("deadbeef");
  });

  it("shows where it would stand, what it would carry and whom it would slow down", async () => {
    const region = await open();
    await within(region).findByText("Predicting", undefined, LIMIT);
    await answered(1, ANSWER);
    await within(region).findByText("4.7", undefined, LIMIT);
    expect(region.textContent).toContain("[4.5, 4.9]");
    expect(region.textContent).toContain("throughput would be missed");
    expect(region.textContent).toMatch(/1 chain would do worse, 0\.70? Mpps less in all/);
    const row = within(region).getByRole("row", { name: /web/ });
    expect(row.textContent).toMatch(/\[9(\.0)?, 9\.4\]/);
    expect(row.textContent).toContain("objective would be missed");
    expect(screen.getByText("core 8, node 1, packets cross, remote")).toBeTruthy();
  });

  it("shows what pressure curves say beside it, where they chose the place", async () => {
    const region = await open();
    const bottleneck = `${UNNAMED}.router`;
    const by_curves = { throughput_mpps: 4.2, before_mpps: null, low_mpps: 4, high_mpps: 4.4, bottleneck };
    await answered(1, { ...ANSWER, prediction: { ...ANSWER.prediction, by_curves } });
    const shown = await within(region).findByText(/by pressure curves, which placed it/, undefined, LIMIT);
    expect(shown.textContent).toMatch(/4\.2.*\[4(\.0)?, 4\.4\]/);
  });

  it("says it of a Gaussian process, where that chose", async () => {
    const region = await open();
    const bottleneck = `${UNNAMED}.router`;
    const by_process = { throughput_mpps: 4.1, before_mpps: null, low_mpps: 4, high_mpps: 4.2, bottleneck };
    await answered(1, { ...ANSWER, prediction: { ...ANSWER.prediction, by_process } });
    const shown = await within(region).findByText(/by a Gaussian process, which placed it/, undefined, LIMIT);
    expect(shown.textContent).toMatch(/4\.1.*\[4(\.0)?, 4\.2\]/);
    expect(region.textContent).not.toContain("pressure curves");
  });

  it("names the NFs of a chain that has no name yet by themselves", async () => {
    const region = await open();
    await answered(1, { ...ANSWER, warnings: [`other work uses 22 % of core 1, where ${UNNAMED}.nids will stand`] });
    await within(region).findByText(/where nids will stand\./, undefined, LIMIT);
  });

  it("keeps the last answer, marked as such, and aborts a request that is not wanted any more", async () => {
    const region = await open();
    await answered(1, ANSWER);
    await within(region).findByText("4.7", undefined, LIMIT);
    const add = screen.getByRole("button", { name: /firewall/ });
    await userEvent.click(add);
    expect(within(region).getByText("of the chain before the last change")).toBeTruthy();
    expect(within(region).getByText("4.7")).toBeTruthy();
    await waitFor(() => expect(requests.length).toBe(2), LIMIT);
    await userEvent.click(add);
    await waitFor(() => expect(requests.length).toBe(3), LIMIT);
    expect([requests[1]?.request.signal.aborted, requests[2]?.request.signal.aborted]).toEqual([true, false]);
    const rejected = { chain: UNNAMED, reason: "needs 3 cores", short: null, relax: "add a host" };
    await answered(3, { ...ANSWER, host: null, nfs: [], prediction: null, affected: [], rejected });
    await within(region).findByText(/No room: needs 3 cores/, undefined, LIMIT);
    expect(region.textContent).toContain("Next step: add a host");
    expect(within(region).queryByText("of the chain before the last change")).toBeNull();
  });

  it("says what was never measured, and how to measure it, in the place of a figure", async () => {
    const region = await open();
    const command = "sextant profile start router --host edge-1";
    const prediction = { ...ANSWER.prediction, throughput_mpps: null, low_mpps: null, high_mpps: null };
    const next_actions = [{ label: "Profile router on edge-1", command }];
    await answered(1, { ...ANSWER, host: "edge-1", prediction, unmeasured: ["router"], affected: [], next_actions });
    await within(region).findByText("No prediction: router was never measured on edge-1's model.", undefined, LIMIT);
    expect(within(region).getByText(command).parentElement?.textContent).toBe(`Profile router on edge-1: ${command}`);
  });

  it("names the field that the console refuses, and asks nothing while one is wrong here", async () => {
    const region = await open();
    const problem = plainProblem("validation", "Refused", "Refused because of nfs.0.type.", 422);
    await answered(1, { ...problem, errors: [{ field: "nfs.0.type", message: "there is no NF type 'router'" }] }, 422);
    await within(region).findByText("nfs.0.type", undefined, LIMIT);
    await userEvent.clear(screen.getByLabelText("Value"));
    await within(region).findByText("No prediction until these fields are correct: value.", undefined, LIMIT);
    expect(requests.length).toBe(1);
  });

  it("waits for an NF", async () => {
    forgetDraft();
    const region = await open();
    expect(region.textContent).toContain("Add an NF to see");
    expect(requests.length).toBe(0);
  });
});
