/** Parts of the pages of profiling jobs, of waiting plans, and of a chain that is explained. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { jobLook } from "@/states/derived";
import { StateText } from "@/states/state-text";

/** What the page sends, as the console would get it; set before the client is made. */
const wire = vi.hoisted(() => {
  const sent: { method: string; path: string; body: unknown }[] = [];
  const answers = new Map<string, { status: number; body: unknown }>();
  globalThis.fetch = async (input) => {
    const request = input as Request;
    const path = request.url.slice(request.url.indexOf("/api/v1") + 7);
    const text = await request.text();
    sent.push({ method: request.method, path, body: text ? JSON.parse(text) : null });
    const answer = answers.get(`${request.method} ${path}`) ?? { status: 404, body: null };
    return new Response(JSON.stringify(answer.body), { status: answer.status });
  };
  return { sent, answers };
});
const went = vi.hoisted(() => vi.fn());

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => went,
}));

import { plainProblem } from "@/api/problem";
import { nfTypesQuery, sessionQuery } from "@/api/queries";
import type { Problem } from "@/api/types";
import { live } from "@/live/store";
import { ModelsUsed } from "@/plans/models-used";
import { Planning } from "@/plans/planning";
import { emptyAsk } from "@/profiling/ask-draft";
import { DropPlot } from "@/profiling/drop-plot";
import { JobActions } from "@/profiling/job-actions";
import { PointsTable } from "@/profiling/points-table";
import { StartProfileForm } from "@/profiling/start-profile";
import { incompleteText } from "@/profiling/words";
import { fullPlan, host, snapshot } from "./fixtures";
import { ask, design, estimate, job, point, setting } from "./profiling-fixtures";

beforeEach(() => {
  wire.sent.length = 0;
  wire.answers.clear();
  went.mockClear();
  const able = host("edge-1");
  const capabilities = [{ name: "profiling", available: true, reason: "quiet cores" }];
  const inventory = able.inventory && { ...able.inventory, capabilities };
  live.receive({ type: "events", events: [snapshot({ hosts: [{ ...able, inventory }] })] });
});

function show(children: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const session = {
    username: "ops-1",
    role: "operator" as const,
    csrf_token: "t",
    expires_at: "2026-11-22T00:00:00Z",
    must_change_password: false,
    issuer: null,
  };
  client.setQueryData(sessionQuery.queryKey, session);
  client.setQueryData(nfTypesQuery.queryKey, { items: [], next: null });
  return render(<QueryClientProvider client={client}>{children}</QueryClientProvider>);
}

async function expectAccessible(element: Element): Promise<void> {
  const found = await axe.run(element, { rules: { region: { enabled: false }, "color-contrast": { enabled: false } } });
  expect(found.violations.map((violation) => violation.id)).toEqual([]);
}

const answer = (what: string, body: unknown, status = 200) => wire.answers.set(what, { status, body });

describe("starting a profile", () => {
  it("says what it would measure before it starts, then starts exactly that", async () => {
    answer("POST /profiling/designs", design({ known: 6, left_out: ["crossing: the host has one NUMA node"] }));
    answer("POST /profiling/jobs", job({ id: 9 }), 202);
    const { container } = show(<StartProfileForm first={emptyAsk("edge", "edge-1")} />);
    const shown = await screen.findByRole("region", { name: "Design" });
    expect(shown.textContent).toContain("3 points, about 40 s, at most 90 s; 6 further points already measured");
    expect(shown.textContent).toContain("left out: crossing: the host has one NUMA node");
    expect(within(shown).getByRole("row", { name: /Beside competitors 2/ })).toBeTruthy();
    await expectAccessible(container);
    await userEvent.click(screen.getByRole("button", { name: "Measure 3 points" }));
    await waitFor(() => expect(went).toHaveBeenCalledWith({ to: "/profiling/$id", params: { id: "9" } }));
    expect(wire.sent).toEqual([
      { method: "POST", path: "/profiling/designs", body: ask() },
      { method: "POST", path: "/profiling/jobs", body: ask() },
    ]);
  });

  it("asks a host for no more flows than it can play", async () => {
    const few = host("edge-2");
    const inventory = few.inventory && { ...few.inventory, most_flows: 8192 };
    live.receive({ type: "events", events: [snapshot({ hosts: [{ ...few, inventory }] })] });
    answer("POST /profiling/designs", design());
    show(<StartProfileForm first={emptyAsk("edge", "edge-2")} />);
    await screen.findByRole("region", { name: "Design" });
    expect(wire.sent).toEqual([
      { method: "POST", path: "/profiling/designs", body: { ...ask({ host: "edge-2" }), flows: 8192 } },
    ]);
    expect(screen.getByText("this host plays 8192 at most")).toBeTruthy();
  });

  it("says that no model will come of it, and where there is more room", async () => {
    const no_model = "too few samples: 'local' only beside 1 of up to 5 competitors; profile it again";
    answer("POST /profiling/designs", design({ no_model, roomier_host: "edge-7" }));
    show(<StartProfileForm first={emptyAsk("edge", "edge-1")} />);
    const shown = await screen.findByRole("region", { name: "Design" });
    expect(shown.querySelector(".warn")?.textContent).toContain(`It will give no model: ${no_model}.`);
    expect(shown.textContent).toContain(
      "edge-7, of the same model, has more free cores on the node where packets arrive.",
    );
  });

  it("cannot start what the console refuses, and says why beside the field", async () => {
    const refusal: Problem = {
      ...plainProblem("host-cannot-profile", "The host cannot profile NFs now", "edge-1 has no free core.", 409),
      errors: [{ field: "host", message: "edge-1 has no free core on node 0" }],
    };
    answer("POST /profiling/designs", refusal, 409);
    show(<StartProfileForm first={emptyAsk("edge", "edge-1")} />);
    expect((await screen.findByRole("alert")).textContent).toContain("The host cannot profile NFs now");
    expect(screen.getByText("edge-1 has no free core on node 0", { selector: "p" })).toBeTruthy();
    const start = screen.getByRole("button", { name: "Start" });
    expect(start.getAttribute("aria-disabled")).toBe("true");
    await userEvent.click(start);
    expect(wire.sent.map(({ path }) => path)).toEqual(["/profiling/designs"]);
  });

  it("asks nothing while a field is wrong", async () => {
    show(<StartProfileForm first={{ ...emptyAsk("edge", "edge-1"), packetBytes: "9000" }} />);
    expect(screen.getByText("a whole number, 64 to 1518")).toBeTruthy();
    await new Promise((done) => setTimeout(done, 400));
    expect(wire.sent).toEqual([]);
  });
});

describe("a job's points", () => {
  const points = [
    point(1, setting("ideal"), { state: "done", mpps: estimate(12.3, 0.1), samples: 4, void_tries: 2 }),
    point(2, setting("local", "1 dpi@0"), {
      state: "done",
      reused: true,
      drop_percent: estimate(4.1, 0.3),
      samples: 3,
    }),
    point(3, setting("local", "2 dpi@0"), {
      state: "running",
      progress: { stage: "measuring", samples: 2, limit: 10, note: "half width 2.1 %" },
    }),
    point(4, setting("sensitivity", "1 bubble@0", { bubble_kib: 256 }), {
      state: "not_measurable",
      note: "no pair of cores shares an L3",
    }),
    point(5, setting("local", "1 vpn@0"), {
      state: "failed",
      tries: 3,
      error: plainProblem("point-failed", "It could not be measured", "Point 5: the NF crashed. 3 tries failed."),
    }),
  ];

  it("stand by purpose with their figures, or why there are none", async () => {
    const { container } = show(<PointsTable points={points} origin="measured" most={10} />);
    const row = (name: RegExp) => within(screen.getByRole("table", { name: "Points" })).getByRole("row", { name });
    expect(row(/^1 alone/).textContent).toContain("4" + "2" + "12.3 ± 0.10");
    expect(row(/^2 1 dpi on node 0/).textContent).toContain("known");
    expect(row(/^2 1 dpi on node 0/).textContent).toContain("4.1 ± 0.30");
    expect(row(/^3 2 dpi/).textContent).toContain("2 of 10");
    for (const text of ["measuring: half width 2.1 %", "no pair of cores shares an L3", "the NF crashed"]) {
      expect(container.textContent).toContain(text);
    }
    expect(container.textContent).toContain("1 of 3 points");
    await expectAccessible(container);
  });

  it("are drawn as soon as they have a drop, simulated ones as simulated", () => {
    const { container, rerender } = show(<DropPlot points={points.slice(2, 3)} origin="measured" />);
    expect(container.textContent).toContain("No drop is measured yet");
    const client = new QueryClient();
    rerender(
      <QueryClientProvider client={client}>
        <DropPlot points={points} origin="simulated" />
      </QueryClientProvider>,
    );
    expect(screen.getByRole("img", { name: /^Drop of 1 points, beside competitors: dpi/ })).toBeTruthy();
    expect(container.querySelectorAll(".points.simulated rect")).toHaveLength(1);
  });
});

describe("a job of which not measurable on this host all", () => {
  const completed = job({ state: "COMPLETED", points: 13, done: 13, not_measurable: 9 });

  it("is completed in part, and counts what is not known", () => {
    const { container, rerender } = show(<StateText look={jobLook(completed)} />);
    expect(container.textContent).toContain("completed in part");
    expect(container.querySelector(".warn")).not.toBeNull();
    rerender(<StateText look={jobLook({ ...completed, not_measurable: 0 })} />);
    expect(container.textContent).not.toContain("in part");
    expect(incompleteText(completed)).toBe("9 not measurable");
    expect(incompleteText({ ...completed, failed: 1 })).toBe("9 not measurable, 1 failed");
    expect(incompleteText({ ...completed, not_measurable: 0 })).toBeNull();
  });

  it("says why there is no drop to draw, and does not wait for one", () => {
    const unmeasured = point(2, setting("local", "1 dpi@0"), { state: "not_measurable", note: "no pair shares an L3" });
    const alone = point(1, setting("ideal"), { state: "done", mpps: estimate(12) });
    const { container, unmount } = show(<DropPlot points={[alone, unmeasured]} origin="measured" />);
    expect(container.textContent).toContain(
      "No drop was measured: not measurable on this host (no pair shares an L3).",
    );
    unmount();
    const only = show(<DropPlot points={[alone]} origin="measured" />);
    expect(only.container.textContent).toContain("it measures solo throughput only");
  });
});

describe("a job's buttons", () => {
  it("say their effect, or why they cannot be pressed", async () => {
    answer("POST /profiling/jobs/4/actions", job({ state: "PAUSED" }), 202);
    const offers = [
      { action: "pause" as const, allowed: true, reason: "sends no further point" },
      { action: "resume" as const, allowed: false, reason: "it is not paused: PROCESSING" },
    ];
    const { container } = show(<JobActions job={job({ actions: offers })} />);
    expect(screen.getByRole("button", { name: "Resume" }).getAttribute("aria-disabled")).toBe("true");
    expect(container.textContent).toContain("sends no further point");
    await userEvent.click(screen.getByRole("button", { name: "Pause" }));
    await waitFor(() => expect(wire.sent).toHaveLength(1));
    expect(wire.sent[0]).toEqual({ method: "POST", path: "/profiling/jobs/4/actions", body: { action: "pause" } });
  });
});

describe("a plan that waits for a model", () => {
  const waits_for = {
    reason: "waits for models of edge (profiled on edge-1 by job 4)",
    nf_types: ["edge"],
    job_ids: [4],
  };
  const waiting = fullPlan({ state: "planning", body: null, digest: null, waits_for });

  it("says for which job, how far that is, and goes on with assumed figures when told to", async () => {
    answer("GET /profiling/jobs/4", job({ note: "core 1 runs web.router" }));
    answer("POST /plans/7/proceed", waiting);
    const { container } = show(<Planning plan={waiting} />);
    await waitFor(() => expect(container.textContent).toContain("1 of 3 points, about 14 s left"));
    expect(container.textContent).toContain("core 1 runs web.router");
    expect(container.textContent).not.toContain("No worker has started it");
    await expectAccessible(container);
    await userEvent.click(screen.getByRole("button", { name: /Plan with assumed figures/ }));
    await waitFor(() => expect(wire.sent.map(({ path }) => path)).toContain("/plans/7/proceed"));
  });
});

describe("models of a plan", () => {
  it("that are distrusted are named at once, with the reason", () => {
    const model = { nf_type: "edge", host_model: "m", version: "fit-3", provenance: "predicted" as const };
    const { container } = show(
      <ModelsUsed models={[{ ...model, trust: "distrusted", trust_why: "1 of 6 outcomes inside their intervals" }]} />,
    );
    expect(container.querySelector("p.warn")?.textContent).toContain("edge: 1 of 6 outcomes inside their intervals");
  });

  it("that were profiled alone are distinguished from those that are assumed, and from fitted ones", () => {
    const model = { host_model: "m", version: "fit-3" };
    const { container } = show(
      <ModelsUsed
        models={[
          { ...model, nf_type: "edge", provenance: "predicted" },
          { ...model, nf_type: "nat", provenance: "assumed", ideal_provenance: "measured" },
          { ...model, nf_type: "vpn", version: "assumed-1", provenance: "assumed" },
        ]}
      />,
    );
    expect(container.querySelector("summary")?.textContent).toMatch(/1 fitted model, 1 profiled solo, .*1 assumed/);
    const [edge, nat, vpn] = [...container.querySelectorAll("li")].map((item) => item.textContent);
    expect(edge).toContain("fit-3, predicted");
    expect(nat).toContain("fit-3, assumed drops, measured throughput alone");
    expect(vpn).toContain("assumed-1, assumed");
  });
});
