/** The section Automation of a host's page: sentences of the console, the last evaluation and the next one. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import axe from "axe-core";
import type { ReactNode } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import type { HostAutomation as Found } from "@/api/types";

/** What the console answers; null: nothing yet. Set before the client is made. */
const wire = vi.hoisted(() => {
  const state: { answer: { status: number; body: unknown } | null } = { answer: null };
  globalThis.fetch = async () => {
    const { answer } = state;
    if (answer === null) return new Promise<Response>(() => {});
    return new Response(JSON.stringify(answer.body), { status: answer.status });
  };
  return state;
});

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
}));

import { plainProblem } from "@/api/problem";
import { AutomationFact, HostAutomation } from "@/hosts/host-automation";

const FOUND: Found = {
  host: "edge-1",
  stopped: false,
  laws: [
    {
      law: "octans",
      title: "Octans re-placement",
      mode: "recommend",
      source: "default",
      changed_by: "system",
      changed_at: "2036-01-01T00:00:00Z",
      chains: [],
      policy: "Recommends, and changes nothing by itself: the fleet's policy is recommend, the default.",
      held_back: ["Operation 12 is at work on this host: nothing is evaluated until it has ended."],
      status: "an operation runs",
      evaluated_at: null,
      next_at: null,
      recommendations: [],
    },
  ],
  others: [{ kind: "restart", text: "The agent restarts an NF that ends." }],
};

beforeEach(() => {
  wire.answer = null;
});

function show() {
  return render(
    <QueryClientProvider client={new QueryClient()}>
      <HostAutomation host="edge-1" />
    </QueryClientProvider>,
  );
}

it("says how far each law may act, what holds it back, when it is evaluated, and what else is done", async () => {
  wire.answer = { status: 200, body: FOUND };
  const { container } = show();
  expect(await screen.findByText(/^Recommends, and changes nothing by itself/)).toBeTruthy();
  expect(screen.getByRole("list", { name: "What holds Octans re-placement back" }).textContent).toContain(
    "Operation 12 is at work on this host",
  );
  expect(screen.getByText("Not evaluated yet; again at once.")).toBeTruthy();
  expect(screen.getByText("The agent restarts an NF that ends.")).toBeTruthy();
  const found = await axe.run(container, {
    rules: { region: { enabled: false }, "color-contrast": { enabled: false }, "heading-order": { enabled: false } },
  });
  expect(found.violations.map(({ id }) => id)).toEqual([]);
});

it("says when it was evaluated and will be again; nothing of the next one while all laws are stopped", async () => {
  const now = Date.now();
  const at = (seconds: number) => new Date(now + seconds * 1000).toISOString();
  const law = { ...FOUND.laws[0], evaluated_at: at(-90), next_at: at(3600), status: "nothing is to be gained" };
  wire.answer = { status: 200, body: { ...FOUND, laws: [law] } };
  const first = show();
  expect(
    await screen.findByText(/^Last evaluated \d+ s ago: nothing is to be gained; again in 60 min\.$/),
  ).toBeTruthy();
  first.unmount();
  wire.answer = { status: 200, body: { ...FOUND, stopped: true, laws: [law] } };
  show();
  expect(await screen.findByText(/^Last evaluated \d+ s ago: nothing is to be gained\.$/)).toBeTruthy();
});

it("links to what is recommended", async () => {
  const open = { id: 3, plan_id: 7, moves: 2 };
  wire.answer = { status: 200, body: { ...FOUND, laws: [{ ...FOUND.laws[0], recommendations: [open] }] } };
  show();
  expect(await screen.findByRole("link", { name: "2 moves, plan 7" })).toBeTruthy();
});

it("asserts nothing before it knows, and says why it cannot", async () => {
  const waiting = show();
  expect(screen.getByText("Loading what is automatic here")).toBeTruthy();
  waiting.unmount();
  wire.answer = { status: 503, body: plainProblem("unavailable", "The database is away", "Try again.", 503) };
  show();
  expect(await screen.findByText(/The database is away/)).toBeTruthy();
});

async function fact(found: Found): Promise<string> {
  wire.answer = { status: 200, body: found };
  const shown = render(
    <QueryClientProvider client={new QueryClient()}>
      <AutomationFact host="edge-1" />
    </QueryClientProvider>,
  );
  const link = await screen.findByRole("link");
  expect(link.getAttribute("href")).toBe("#automation");
  const text = link.textContent ?? "";
  shown.unmount();
  return text;
}

it("is summed up in one line at the top of the page, which leads to it", async () => {
  const [law] = FOUND.laws;
  if (!law) throw new Error("a law");
  const open = { ...law, recommendations: [{ id: 3, plan_id: 7, moves: 2 }] } as unknown as typeof law;
  expect(await fact(FOUND)).toBe("Automation: recommends");
  expect(await fact({ ...FOUND, laws: [open] })).toBe("Automation: recommends; 1 open");
  expect(await fact({ ...FOUND, stopped: true })).toBe("Automation: stopped");
  const other = { ...law, title: "SLO restore", mode: "automatic" as const };
  expect(await fact({ ...FOUND, laws: [law, other] })).toBe(
    "Automation: Octans re-placement recommends, SLO restore automatic",
  );
});
