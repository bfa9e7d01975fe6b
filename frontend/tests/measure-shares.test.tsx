/** The window that starts a job for shares: what is sent, and hosts that cannot. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const wire = vi.hoisted(() => {
  const sent: { path: string; body: unknown }[] = [];
  const answers = new Map<string, unknown>();
  globalThis.fetch = async (input) => {
    const request = input as Request;
    const path = request.url.slice(request.url.indexOf("/api/v1") + 7);
    const text = await request.text();
    sent.push({ path, body: text ? JSON.parse(text) : null });
    return new Response(JSON.stringify(answers.get(path) ?? {}));
  };
  return { sent, answers };
});
const went = vi.hoisted(() => vi.fn());
vi.mock("@tanstack/react-router", () => ({ useNavigate: () => went }));
vi.mock("@/session/permission", () => ({ useActReason: () => null }));

import { live } from "@/live/store";
import { MeasureSharesForm } from "@/nf-types/measure-shares";
import { curls } from "@/session/curl-calls";
import { host, snapshot } from "./fixtures";
import { ask, job } from "./profiling-fixtures";

const DESIGN = {
  ask: ask(),
  host_model: "m",
  points: [],
  known: 0,
  grid_points: 9,
  expected_s: 40,
  most_s: 100,
  left_out: ["hop to another node: the host has none whose cores NFs may have"],
};

async function open(able: boolean): Promise<void> {
  const edge = host("edge-1");
  const capability = { name: "profiling-shares", available: able, reason: "a manager plays packets without end" };
  const inventory = edge.inventory && { ...edge.inventory, capabilities: [capability] };
  live.receive({ type: "status", status: "open" });
  act(() => live.receive({ type: "events", events: [snapshot({ hosts: [{ ...edge, inventory }] })] }));
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MeasureSharesForm nfType="edge" hosts={["edge-1"]} />
    </QueryClientProvider>,
  );
}

beforeEach(() => {
  wire.sent.length = 0;
  went.mockClear();
  wire.answers.set("/profiling/designs", DESIGN);
  wire.answers.set("/profiling/jobs", job({ id: 4 }));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("asks for hops where they are ticked, says what is left out, and leads to the job", async () => {
  await open(true);
  await userEvent.click(screen.getByRole("checkbox", { name: /^Hops as well/ }));
  await screen.findByText(/hop to another node: the host has none/);
  await userEvent.click(screen.getByRole("button", { name: "Measure" }));
  await waitFor(() => expect(went).toHaveBeenCalledWith({ to: "/profiling/$id", params: { id: "4" } }));
  const started = wire.sent.find(({ path }) => path === "/profiling/jobs");
  expect(started?.body).toMatchObject({
    nf_type: "edge",
    host: "edge-1",
    shares: { points: 6, most_percent: 90, hops: true },
  });
});

it("copies as curl the request that Measure sends", async () => {
  const copied = vi.fn(async (_text: string) => undefined);
  vi.stubGlobal("navigator", { ...navigator, clipboard: { writeText: copied } });
  await open(true);
  await userEvent.click(screen.getByRole("checkbox", { name: /^Hops as well/ }));
  await userEvent.click(await screen.findByRole("button", { name: "Copy as curl" }));
  await userEvent.click(screen.getByRole("button", { name: "Measure" }));
  await waitFor(() => expect(went).toHaveBeenCalled());
  const started = wire.sent.find(({ path }) => path === "/profiling/jobs")?.body as ReturnType<typeof ask>;
  expect(started).toMatchObject({ shares: { hops: true } });
  expect(copied).toHaveBeenCalledWith(curls.startProfile(started));
});

it("says why a host cannot, and sends nothing", async () => {
  await open(false);
  expect(await screen.findByText(/It cannot measure shares: a manager plays packets/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Measure" }));
  expect(wire.sent.filter(({ path }) => path === "/profiling/jobs")).toEqual([]);
});
