/** Levels on an NF type's page: the table, the versions, measuring, promoting; and a job for levels in words. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

const wire = vi.hoisted(() => {
  const sent: { method: string; path: string; body: unknown }[] = [];
  const answers = new Map<string, { status: number; body: unknown }>();
  globalThis.fetch = async (input) => {
    const request = input as Request;
    const path = request.url.slice(request.url.indexOf("/api/v1") + 7).split("?")[0] ?? "";
    const text = await request.text();
    sent.push({ method: request.method, path, body: text ? JSON.parse(text) : null });
    const answer = answers.get(`${request.method} ${path}`) ?? { status: 200, body: { items: [], next: null } };
    return new Response(JSON.stringify(answer.body), { status: answer.status });
  };
  return { sent, answers };
});
const went = vi.hoisted(() => vi.fn());
vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => went,
}));
vi.mock("@/live/freshness", () => ({ useStaleReason: () => null, useNow: () => Date.parse("2026-11-21T10:05:00Z") }));

import { sessionQuery } from "@/api/queries";
import type { LevelsVersion } from "@/api/types";
import { live } from "@/live/store";
import { nodeKindsOf, rateRows, readRates } from "@/nf-types/levels";
import { LevelsSection } from "@/nf-types/levels-section";
import { MeasureLevelsForm } from "@/nf-types/measure-levels";
import { othersText } from "@/profiling/setting";
import { merged } from "@/profiling/use-job";
import { pointsText, titleOf } from "@/profiling/words";
import { cli } from "@/session/cli";
import { host, snapshot } from "./fixtures";
import { ask, job, point, setting } from "./profiling-fixtures";

const MODEL = "test-cpu 2x8";

function version(change: Partial<LevelsVersion> = {}): LevelsVersion {
  return {
    id: 3,
    host_model: MODEL,
    nf_type: "edge",
    nf_version: 1,
    version: 1,
    state: "draft",
    measured: {
      levels: {
        local: [
          { gbps: 4, ways: 2, mb_percent: 20 },
          { gbps: 7, ways: 3, mb_percent: 20 },
        ],
        remote: [{ gbps: 4, ways: 1, mb_percent: 90 }],
      },
      nodes: [
        {
          kind: "local",
          fronts: [
            {
              gbps: 4,
              points: [
                [1, 60],
                [2, 20],
              ],
            },
            { gbps: 7, points: [[3, 20]] },
          ],
          points_measured: 31,
          points_of_grid: 100,
        },
        {
          kind: "remote",
          fronts: [
            { gbps: 4, points: [[1, 90]] },
            { gbps: 7, points: [] },
          ],
          points_measured: 40,
          points_of_grid: 100,
        },
      ],
      noise_percent: 0.5,
      packet_bytes: 64,
      flows: 100000,
    },
    provenance: "simulated",
    job_id: 4,
    host: "edge-1",
    stale: null,
    table_version: null,
    created_at: "2026-11-21T10:00:00Z",
    created_by: "ada",
    decided_at: null,
    decided_by: null,
    ...change,
  };
}

beforeEach(async () => {
  wire.sent.length = 0;
  wire.answers.clear();
  went.mockClear();
  await streamed({});
});

/** The stream says so, and the page has taken it in. */
async function streamed(change: Parameters<typeof snapshot>[0]): Promise<void> {
  const before = live.getState();
  live.receive({ type: "events", events: [snapshot(change)] });
  await vi.waitFor(() => expect(live.getState()).not.toBe(before), { timeout: 30_000 });
}

function show(children: ReactNode, role: "operator" | "viewer" = "operator") {
  const client = new QueryClient({
    defaultOptions: { queries: { retry: false, staleTime: Number.POSITIVE_INFINITY } },
  });
  const session = {
    username: "ops-1",
    role,
    csrf_token: "t",
    expires_at: "2026-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  return render(<QueryClientProvider client={client}>{children}</QueryClientProvider>);
}

function section(versions: LevelsVersion[], role: "operator" | "viewer" = "operator") {
  wire.answers.set("GET /levels", { status: 200, body: { items: versions, next: null } });
  return show(<LevelsSection nfType="edge" hostModel={MODEL} hosts={["edge-1"]} />, role);
}

describe("the section", () => {
  it("shows what each rate takes on either kind of node, and what else carries it", async () => {
    const { container } = section([version()]);
    const table = await screen.findByRole("table", { name: "Levels" });
    const [, four, seven] = within(table).getAllByRole("row");
    expect(four?.textContent).toContain("2 ways, 20 % or 1 way, 60 %");
    expect(four?.textContent).toContain("1 way, 90 %");
    expect(seven?.textContent).toContain("nothing carries it");
    expect(within(table).getAllByRole("img", { name: "simulated" })).toHaveLength(2);
    expect(container.textContent).toContain("71 of 200 points");
    const found = await axe.run(container, {
      rules: { region: { enabled: false }, "color-contrast": { enabled: false } },
    });
    expect(found.violations.map(({ id }) => id)).toEqual([]);
  });

  it("shows the promoted version first, and nothing of another host model", async () => {
    section([
      version({ id: 9, host_model: "another", version: 7 }),
      version({ id: 5, version: 2 }),
      version({ state: "promoted", decided_by: "eve", decided_at: "2026-11-21T10:00:00Z" }),
    ]);
    expect(await screen.findByText("promoted", { selector: "b" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Retire version 1 of the levels" })).toBeTruthy();
  });

  it("says so where nothing was measured, and why it cannot be read", async () => {
    const { unmount } = section([]);
    expect(await screen.findByText(/Never measured on this host model/)).toBeTruthy();
    unmount();
    wire.answers.set("GET /levels", {
      status: 500,
      body: { type: "urn:sextant:problem:internal", title: "It broke", status: 500, detail: "why" },
    });
    show(<LevelsSection nfType="edge" hostModel={MODEL} hosts={["edge-1"]} />);
    expect(await screen.findByText(/why/)).toBeTruthy();
  });

  it("shows the job that measures them now", async () => {
    const running = job({
      ask: ask({ levels: { rates_gbps: [1], nodes: ["local"] } }),
      host_model: MODEL,
      state: "PROCESSING",
      done: 12,
      grid_points: 100,
    });
    await streamed({ profiling: [running] });
    section([]);
    expect((await screen.findByRole("status")).textContent).toContain("12 of a grid of 100 points");
  });

  it("promotes after a question, and says why it was refused", async () => {
    wire.answers.set("POST /levels/3/promotion", {
      status: 409,
      body: {
        type: "urn:sextant:problem:not-promotable",
        title: "The levels cannot be promoted",
        status: 409,
        detail: "they hold no level",
        errors: [],
        next_actions: [],
      },
    });
    section([version()]);
    await userEvent.click(await screen.findByRole("button", { name: /^Promote/ }));
    const question = await screen.findByRole("alertdialog");
    expect(question.textContent).toContain("A simulated host measured it");
    await userEvent.click(within(question).getByRole("button", { name: "Promote" }));
    await waitFor(() => expect(question.textContent).toContain("they hold no level"));
    wire.answers.set("POST /levels/3/promotion", { status: 200, body: version({ state: "promoted" }) });
    await userEvent.click(within(question).getByRole("button", { name: "Promote" }));
    await waitFor(() => expect(screen.queryByRole("alertdialog")).toBeNull());
  });

  it("lets a viewer read only", async () => {
    section([version()], "viewer");
    const promote = await screen.findByRole("button", { name: /^Promote/ });
    await userEvent.click(promote);
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });
});

describe("measuring", () => {
  const able = (available: boolean, nodes = 2, more: { name: string; available: boolean; reason: string }[] = []) => {
    const one = host("edge-1", nodes);
    if (!one.inventory) throw new Error("the host has no inventory");
    const capability = { name: "profiling-resources", available, reason: available ? "it can" : "no MBA here" };
    const capabilities = [...one.inventory.capabilities, capability, ...more];
    return { ...one, inventory: { ...one.inventory, capabilities } };
  };

  const design = {
    ask: ask(),
    host_model: MODEL,
    points: [],
    known: 0,
    grid_points: 200,
    expected_s: 40,
    most_s: 100,
    left_out: [],
  };

  it("asks for the rates that are typed", async () => {
    await streamed({ hosts: [able(true)] });
    const left = "remote: no other node than the packets' own has a free core";
    wire.answers.set("POST /profiling/designs", { status: 200, body: { ...design, left_out: [left] } });
    wire.answers.set("POST /profiling/jobs", { status: 202, body: job({ id: 4 }) });
    show(<MeasureLevelsForm nfType="edge" hosts={["edge-1"]} />);
    expect(await screen.findByText(/remote: no other node than/)).toBeTruthy();
    const rates = screen.getByRole("textbox", { name: /^Rates/ });
    await userEvent.clear(rates);
    await userEvent.type(rates, "8 2,5 1");
    await userEvent.click(screen.getByRole("button", { name: "Measure" }));
    await waitFor(() => expect(went).toHaveBeenCalledWith({ to: "/profiling/$id", params: { id: "4" } }));
    const started = wire.sent.find(({ path }) => path === "/profiling/jobs");
    expect(started?.body).toMatchObject({
      nf_type: "edge",
      host: "edge-1",
      levels: { rates_gbps: [1, 2.5, 8], nodes: ["local", "remote"] },
    });
  });

  it("asks for the nodes that the host offers, and says why not for others", async () => {
    const refused = { name: "profiling-resources-remote", available: false, reason: "the NF stands behind rings" };
    expect(nodeKindsOf(able(true))).toEqual({ nodes: ["local", "remote"], why: null });
    expect(nodeKindsOf(able(true, 2, [{ ...refused, available: true }]))).toEqual({
      nodes: ["local", "remote"],
      why: null,
    });
    expect(nodeKindsOf(able(true, 1, [refused])).why).toBe("the host has one NUMA node");
    await streamed({ hosts: [able(true, 2, [refused])] });
    wire.answers.set("POST /profiling/designs", { status: 200, body: design });
    wire.answers.set("POST /profiling/jobs", { status: 202, body: job({ id: 4 }) });
    const { container } = show(<MeasureLevelsForm nfType="edge" hosts={["edge-1"]} />);
    expect(container.textContent).toContain("(local) only: the NF stands behind rings.");
    await userEvent.click(screen.getByRole("button", { name: "Measure" }));
    await waitFor(() => expect(went).toHaveBeenCalled());
    const started = wire.sent.find(({ path }) => path === "/profiling/jobs");
    expect(started?.body).toMatchObject({ levels: { nodes: ["local"] } });
  });

  it("says why a host cannot, and sends nothing", async () => {
    await streamed({ hosts: [able(false)] });
    show(<MeasureLevelsForm nfType="edge" hosts={["edge-1"]} />);
    expect(await screen.findByText(/It cannot measure levels: no MBA here/)).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Measure" }));
    expect(wire.sent).toEqual([]);
  });
});

describe("in words", () => {
  it("reads rates, and says what is wrong with them", () => {
    expect(readRates("10 1; 2,5")).toEqual({ rates: [1, 2.5, 10], error: null });
    expect(readRates(" ").error).toMatch(/rates in Gbps/);
    expect(readRates("1 fast").error).toBe("fast is no rate above 0");
    expect(readRates("0").error).toBe("0 is no rate above 0");
    expect(readRates("2 2").error).toBe("each rate is named once");
    expect(readRates(Array.from({ length: 65 }, (_, n) => n + 1).join(" ")).error).toBe("at most 64 rates");
  });

  it("tells a rate that nothing carries from one that was not measured", () => {
    const local = version();
    const without = { ...local, measured: { ...local.measured, nodes: local.measured.nodes.slice(0, 1) } };
    expect(rateRows(local)[1]?.remote).toBeNull();
    expect(rateRows(without)[1]?.remote).toBeUndefined();
  });

  it("counts points of the grid, and describes a point by what the NF has", () => {
    const measured = job({
      ask: ask({ levels: { rates_gbps: [1], nodes: ["local"] } }),
      points: 12,
      done: 12,
      grid_points: 100,
    });
    expect(pointsText(measured)).toBe("12 of a grid of 100 points");
    expect(titleOf(measured)).toBe("Levels of edge on edge-1");
    expect(othersText(setting("level", "", { llc_ways: 3, memory_bandwidth_percent: 40 }))).toBe(
      "3 ways, 40 % of memory bandwidth",
    );
  });

  it("takes points that the stream has chosen since", () => {
    const [first, second] = [point(1, setting("level")), point(2, setting("level"))];
    expect(merged([first], undefined, new Map([[2, second]])).map(({ id }) => id)).toEqual([1, 2]);
  });

  it("is a command with the options that are not usual", () => {
    const rates = Array.from({ length: 10 }, (_, n) => n + 1);
    const plain = ask({ levels: { rates_gbps: rates, nodes: ["local", "remote"] } });
    expect(cli.measureLevels(plain)).toBe("sextant levels measure edge --host edge-1");
    const other = { ...plain, packet_bytes: 512, levels: { rates_gbps: [2, 4], nodes: ["local" as const] } };
    expect(cli.measureLevels(other)).toBe(
      "sextant levels measure edge --host edge-1 --rate 2 --rate 4 --node local --packet-bytes 512",
    );
  });
});
