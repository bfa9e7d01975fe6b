/** What other settings of a chain would do, while they are typed: asked for once, and nothing of it is sent. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { plainProblem } from "@/api/problem";
import type { SettingsPrediction } from "@/api/types";
import { AT, chain } from "./fixtures";

interface Request_ {
  request: Request;
  answer: (body: unknown, status?: number) => void;
}

/** The client takes `fetch` when it is imported, so this stands before. */
const { requests, changes } = vi.hoisted(() => {
  const requests: Request_[] = [];
  const changes: string[] = [];
  vi.stubGlobal("fetch", (asked: Request | string) => {
    if (typeof asked === "string") return new Promise(() => {});
    if (asked.method === "PATCH") changes.push(asked.url);
    if (!asked.url.endsWith("/chains/web/settings/predictions")) return new Promise(() => {});
    return new Promise((resolve) => {
      const answer = (body: unknown, status = 200) => resolve(Response.json(body, { status }));
      requests.push({ request: asked, answer });
    });
  });
  return { requests, changes };
});

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
}));

import { AdjustChain } from "@/chains/adjust-chain";

const ANSWER: SettingsPrediction = {
  chain: "web",
  effect: "hosts",
  taken_at: AT,
  host: "edge-1",
  adjustments: [],
  changes: [],
  prediction: {
    chain: "web",
    throughput_mpps: 4.7,
    low_mpps: 4.5,
    high_mpps: 4.9,
    interval_source: "held-out",
    bottleneck: "web.router",
    provenance: "predicted",
    assumes: [],
    throughput_slo: null,
    latency_slo: null,
    note: null,
    host: "edge-1",
    ingress_node: 0,
    nfs: [],
  },
  before_mpps: 1,
  unmeasured: [],
  affected: [
    {
      chain: "old",
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
  doubt: null,
  warnings: ["other work uses 22 % of core 1"],
  next_actions: [],
};

const NO_FIGURES = { host: null, prediction: null, before_mpps: null, affected: [], others_mpps: null, warnings: [] };

/** Of waiting for a condition: the machine may be busy. */
const LIMIT = { timeout: 20_000 };

function open(): HTMLElement {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <AdjustChain chain={chain("web")} nfs={new Map()} />
    </QueryClientProvider>,
  );
  return screen.getByLabelText("Rate");
}

async function typed(rate: string): Promise<HTMLElement> {
  const field = screen.getByLabelText("Rate");
  await userEvent.clear(field);
  await userEvent.type(field, rate);
  return screen.findByRole("region", { name: "Prediction" }, LIMIT);
}

async function answered(number: number, body: unknown, status = 200): Promise<void> {
  await waitFor(() => expect(requests.length).toBe(number), LIMIT);
  await act(async () => requests[number - 1]?.answer(body, status));
}

beforeEach(() => {
  requests.length = 0;
  changes.length = 0;
});
afterEach(cleanup);

describe("settings that are typed", { timeout: 60_000 }, () => {
  it("are asked about as a change, and nothing is sent", async () => {
    open();
    expect(screen.queryByRole("region", { name: "Prediction" })).toBeNull();
    const region = await typed("5");
    await within(region).findByText("Predicting", undefined, LIMIT);
    await answered(1, ANSWER);
    await within(region).findByText("4.7", undefined, LIMIT);
    expect(region.textContent).toContain("[4.5, 4.9]");
    expect(region.textContent).toMatch(/1(\.0+)? Mpps with its present settings/);
    expect(region.textContent).toMatch(/1 chain would do worse, 0\.70? Mpps less in all/);
    expect(within(region).getByRole("row", { name: /old/ }).textContent).toContain("objective would be missed");
    expect(region.textContent).toContain("other work uses 22 % of core 1.");
    expect(await requests[0]?.request.json()).toEqual({
      traffic: { ...chain("web").spec.traffic, rate_mpps: 5 },
      nfs: {},
    });
    expect(changes).toEqual([]);
  });

  it("keep the last answer, marked as such, until the next one", async () => {
    open();
    const region = await typed("5");
    await answered(1, ANSWER);
    await within(region).findByText("4.7", undefined, LIMIT);
    await typed("6");
    expect(within(region).getByText("of the former settings")).toBeTruthy();
    await answered(2, { ...ANSWER, prediction: { ...ANSWER.prediction, throughput_mpps: 5.2 } });
    await within(region).findByText("5.2", undefined, LIMIT);
    expect(within(region).queryByText("of the former settings")).toBeNull();
  });

  it("say where no host would be ordered, and what cannot be applied", async () => {
    open();
    const region = await typed("5");
    await answered(1, { ...ANSWER, ...NO_FIGURES, effect: "specification" });
    await within(region).findByText(/only its specification would change/, undefined, LIMIT);
    await typed("6");
    await answered(2, { ...ANSWER, ...NO_FIGURES, effect: "nothing" });
    await within(region).findByText(/^Nothing would change/, undefined, LIMIT);
    await typed("7");
    const rejected = { chain: "web", reason: "edge-1 cannot do it", short: null, relax: "leave it" };
    await answered(3, { ...ANSWER, ...NO_FIGURES, rejected });
    await within(region).findByText(/Cannot be applied: edge-1 cannot do it/, undefined, LIMIT);
    expect(region.textContent).toContain("Next step: leave it.");
  });

  it("mark the field that the console refuses, and ask nothing while one is wrong here", async () => {
    const field = open();
    const region = await typed("5");
    const problem = plainProblem("validation", "Refused", "Refused because of traffic.rate_mpps.", 422);
    await answered(1, { ...problem, errors: [{ field: "traffic.rate_mpps", message: "too much for port 0" }] }, 422);
    await within(region).findByText("traffic.rate_mpps", undefined, LIMIT);
    expect(field.getAttribute("aria-invalid")).toBe("true");
    await typed("fast");
    await within(region).findByText(
      "No prediction until these fields are correct: traffic.rate_mpps.",
      undefined,
      LIMIT,
    );
    expect(requests.length).toBe(1);
  });
});
