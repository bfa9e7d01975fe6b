/** Parts of the pages of plans and comparisons; above 400 lines because all share the wire: what the page sends, and its answers. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import axe from "axe-core";
import { type ReactNode, useState } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

/** What the page sends, as the console would get it; set before the client is made. */
const wire = vi.hoisted(() => {
  const sent: { method: string; path: string; body: unknown }[] = [];
  const answers = new Map<string, { status: number; body: unknown }>();
  globalThis.fetch = async (input) => {
    const request = input as Request;
    const path = request.url.slice(request.url.indexOf("/api/v1") + 7);
    const text = await request.text();
    sent.push({ method: request.method, path, body: text ? JSON.parse(text) : null });
    const answer = answers.get(`${request.method} ${path}`) ?? { status: 202, body: { id: 8, plan_id: 8 } };
    return new Response(JSON.stringify(answer.body), { status: answer.status });
  };
  return { sent, answers };
});
const went = vi.hoisted(() => vi.fn());

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => went,
}));

import { sessionQuery } from "@/api/queries";
import type { ChainPrediction, HostEvidence, Interference, ModelUse, PlanBody } from "@/api/types";
import { SideBySide } from "@/comparisons/side-by-side";
import { SnapshotDrop } from "@/comparisons/snapshot-drop";
import { InterferenceMatrices } from "@/interference/matrices";
import { ChangesTable, gainOf } from "@/plans/changes-table";
import { EvidenceSection, HostEvidenceSection } from "@/plans/evidence";
import { FrontierSection } from "@/plans/frontier";
import { pointText } from "@/plans/frontier-chart";
import { PlanBar } from "@/plans/plan-bar";
import { PlanInterference } from "@/plans/plan-interference";
import { PlanPictures } from "@/plans/plan-pictures";
import { Planning } from "@/plans/planning";
import { PredictionsSection } from "@/plans/predictions";
import { Choose } from "@/ui/choose";
import { cause, change, compared, fullPlan, host, plan, planBody, seat, victim } from "./fixtures";

beforeEach(() => {
  wire.sent.length = 0;
  wire.answers.clear();
  went.mockClear();
});

function show(children: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const session = { username: "ops-1", role: "operator" as const, csrf_token: "t", expires_at: "2026-11-22T00:00:00Z" };
  client.setQueryData(sessionQuery.queryKey, session);
  return render(<QueryClientProvider client={client}>{children}</QueryClientProvider>);
}

async function expectAccessible(element: Element): Promise<void> {
  const found = await axe.run(element, { rules: { region: { enabled: false }, "color-contrast": { enabled: false } } });
  expect(found.violations.map((violation) => violation.id)).toEqual([]);
}

describe("asking for a plan", () => {
  it("takes one press with what the plan was asked with", async () => {
    const solving = { algorithm: "octans", time_limit_s: 5, seed: 3, max_moves: 2 } as const;
    show(<PlanBar plan={fullPlan({ solving, intent: { kind: "place", chain: "web" } })} />);
    await userEvent.click(screen.getByRole("button", { name: "Re-plan" }));
    await waitFor(() => expect(went).toHaveBeenCalledWith({ to: "/plans/$planId", params: { planId: "8" } }));
    expect(wire.sent).toEqual([
      { method: "POST", path: "/plans", body: { intent: { kind: "place", chain: "web" }, ...solving } },
    ]);
  });

  it("takes another algorithm and limit from its options, and says beside the field what is wrong", async () => {
    show(<PlanBar plan={fullPlan()} />);
    await userEvent.click(screen.getByRole("button", { name: /Options/ }));
    const dialog = screen.getByRole("dialog");
    expect(dialog.textContent).toContain("Where models are wrong, these two may carry more than a proved optimum");
    const limit = within(dialog).getByRole("textbox", { name: "Time limit" });
    await userEvent.clear(limit);
    await userEvent.type(limit, "700");
    expect(limit.getAttribute("aria-invalid")).toBe("true");
    await userEvent.click(within(dialog).getByRole("button", { name: "Plan" }));
    expect(wire.sent).toEqual([]);
    await userEvent.clear(limit);
    await userEvent.type(limit, "60");
    await userEvent.click(within(dialog).getByRole("button", { name: /Algorithm/ }));
    await userEvent.click(screen.getByRole("option", { name: /^exact/ }));
    await userEvent.click(within(dialog).getByRole("button", { name: "Plan" }));
    await waitFor(() => expect(wire.sent).toHaveLength(1));
    expect(wire.sent[0]?.body).toMatchObject({ algorithm: "exact", time_limit_s: 60, max_moves: null });
  });

  it("is applied on distrusted predictions only after a question that names them", async () => {
    const model = { host_model: "xeon", version: "fit-2", provenance: "predicted" } as const;
    const models = [
      {
        ...model,
        nf_type: "nids",
        trust: "distrusted" as const,
        trust_why: "3 outcomes, mean error 27.0 %, more than 5 %",
      },
      { ...model, nf_type: "nat", trust: "trusted" as const },
      { ...model, nf_type: "dpi" },
    ];
    const body = planBody({ changes: [change("a.b", seat("h", 1))] }, { models });
    const { unmount } = show(<PlanBar plan={fullPlan({ body })} />);
    expect(screen.getByRole("note").textContent).toContain("distrusted predictions of nids");
    await userEvent.click(screen.getByRole("button", { name: "Apply 1 change" }));
    expect(wire.sent).toEqual([]);
    const dialog = screen.getByRole("alertdialog");
    for (const text of ["nids fit-2 on xeon: 3 outcomes, mean error 27.0 %", "Never tested: dpi"]) {
      expect(dialog.textContent).toContain(text);
    }
    await userEvent.click(within(dialog).getByRole("button", { name: "Keep" }));
    expect(wire.sent).toEqual([]);
    await userEvent.click(screen.getByRole("button", { name: "Apply 1 change" }));
    await userEvent.click(screen.getByRole("button", { name: "Apply 1 change anyway" }));
    await waitFor(() => expect(wire.sent.map(({ path }) => path)).toContain("/plans/7/apply"));
    unmount();
    wire.sent.length = 0;
    // Untested ones are said, and do not ask.
    show(<PlanBar plan={fullPlan({ body: planBody({ changes: body.changes }, { models: models.slice(1) }) })} />);
    expect(screen.getByRole("note").textContent).toContain("untested predictions of dpi");
    await userEvent.click(screen.getByRole("button", { name: "Apply 1 change" }));
    await waitFor(() => expect(wire.sent.map(({ path }) => path)).toContain("/plans/7/apply"));
  });

  it("is refused for a study on a file, which cannot be applied either", () => {
    show(<PlanBar plan={fullPlan({ source: "file", body: planBody({ changes: [change("a.b", seat("h", 1))] }) })} />);
    for (const name of ["Re-plan", "Apply 1 change"]) {
      expect(screen.getByRole("button", { name }).getAttribute("aria-disabled")).toBe("true");
    }
    expect(screen.getAllByRole("tooltip").map((tip) => tip.textContent)).toContain(
      "Study on a snapshot file: it cannot be applied.",
    );
  });
});

describe("a plan that is being made", () => {
  const progress = {
    stage: "solving",
    done: 12,
    total: 40,
    best: 348.6,
    bound: 350,
    evaluations: 41260,
    seconds: 1.5,
  } as const;
  const making = fullPlan({ state: "planning", body: null, digest: null, progress });

  it("says how far it is, and how far the best may be from the bound", async () => {
    const { container } = show(<Planning plan={making} />);
    expect(screen.getByRole("status").textContent).toBe("placing NFs on each host, 12 of 40 hosts");
    // (350 - 348.6) / 350 = 0.4 %
    for (const text of ["348.6, bound 350.0", "at most 0.4 %", "41\u2009260", "1.5 of 10 s"]) {
      expect(container.textContent).toContain(text);
    }
    await expectAccessible(container);
  });

  it("is cancelled by rejecting it", async () => {
    show(<Planning plan={making} />);
    await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(wire.sent.map(({ path }) => path)).toContain("/plans/7/reject"));
  });

  it("points at the workers when none begins", () => {
    show(<Planning plan={{ ...making, progress: null }} />);
    expect(document.body.textContent).toContain("No worker has started it");
  });
});

describe("gains", () => {
  const [from, to] = [seat("h", 4, 1), seat("h", 1, 0)];

  it("are Mpps of packets, with value × Mpps apart: a chain of value 10 that gains 0.4 gains no 3.3", () => {
    // 6.2 -> 6.6 of a chain of value 10: two moves, 0.33 and 0.07 Mpps; 3.3 and 0.7 in the score, 4 together as drawn.
    const moved = [
      change("dmz.nids", to, { kind: "move", source: from, gain_mpps: 0.33, weighted_gain: 3.3 }),
      change("dmz.vpn", to, { kind: "move", source: from, gain_mpps: 0.07, weighted_gain: 0.7 }),
    ];
    show(<ChangesTable changes={moved} linked={false} />);
    const heads = screen.getAllByRole("columnheader").map((head) => head.textContent);
    const cells = screen.getAllByRole("row")[1]?.querySelectorAll("td") ?? [];
    const cell = (name: string) => cells[heads.indexOf(name)]?.textContent;
    expect([cell("gain, Mpps"), cell("value × Mpps")]).toEqual(["+0.33", "+3.3"]);
  });

  it("of an older plan are value × Mpps, whatever it called them", () => {
    expect(gainOf(change("a.b", to, { kind: "move", gain_mpps: 3.3 }))).toEqual({ mpps: null, weighted: 3.3 });
    expect(gainOf({ gain_mpps: 0.33, weighted_gain: 3.3 })).toEqual({ mpps: 0.33, weighted: 3.3 });
  });
});

describe("the pictures of a plan", () => {
  it("show a core with other work as the plan knew it, and not as free", () => {
    const view = host("edge-1", 1, 3);
    const body = planBody({
      changes: [change("web.a", seat("edge-1", 1))],
      after: [{ nf_id: "web.a", chain: "web", position: 0, nf_type: "router", seat: seat("edge-1", 1) }],
      other_work: [
        { host: "edge-1", core: 0, percent: 63 },
        { host: "edge-1", core: 1, percent: 20 },
      ],
    });
    const { container } = show(<PlanPictures body={body} hosts={new Map([["edge-1", view]])} types={[]} />);
    const titles = [...container.querySelectorAll("[title]")].map((each) => each.getAttribute("title"));
    expect(titles).toEqual([
      "core 0: other work, 63 %",
      "core 1: other work, 20 %",
      "core 2: free",
      "core 0: other work, 63 %",
      "web.a at core 1, arrives; beside other work, 20 %",
      "core 2: free",
    ]);
    expect(container.textContent).toContain("other work, used last");
    cleanup();
    const { other_work: _, ...old } = body; // of an earlier version, or where there was none
    show(<PlanPictures body={old as PlanBody} hosts={new Map([["edge-1", view]])} types={[]} />);
    expect(document.body.textContent).not.toContain("other work");
  });
});

describe("evidence", () => {
  const alone = { predictor: "octans" as const, candidates: [] as HostEvidence["candidates"], improved: false };
  const hosts = [
    { ...alone, host: "a", algorithm: "exact", status: "optimal", score: 3, bound: 3, evaluations: 9, trusted: true },
    {
      ...alone,
      host: "b",
      algorithm: "anytime",
      status: "feasible",
      score: 98,
      bound: 100,
      evaluations: 9,
      trusted: true,
    },
    { ...alone, host: "c", algorithm: "exact", status: "optimal", score: 7, bound: 7, evaluations: 9, trusted: false },
  ] as const;

  it("says what is proved, what was asked for, and what ended the search", () => {
    const body = planBody({}, { algorithm: "anytime", status: "feasible", score: 348.6, bound: 350, stopped: true });
    const { container } = show(<EvidenceSection plan={fullPlan()} body={body} />);
    for (const text of [
      "best found, within 0.4 % of the bound",
      "anytime, asked for: automatic",
      "20 ms of 10 s",
      "stopped by the time limit",
    ]) {
      expect(container.textContent).toContain(text);
    }
    expect(container.textContent).not.toContain("proved");
  });

  it("says of several hosts that each is proved and their choice is not, and whose the bound is", () => {
    const optimal = { ...hosts[0], bound: 3 };
    const body = planBody({}, { status: "feasible", score: 6, bound: 6, hosts: [optimal, { ...optimal, host: "d" }] });
    const { container } = show(<EvidenceSection plan={fullPlan()} body={body} />);
    expect(container.textContent).toContain("every host optimal under Octans' equations, choice of hosts not proved");
    expect(container.textContent).toContain("0 %, score to bound with these chains on these hosts");
  });

  it("names the algorithms that were compared by pressure curves, and calls only the equations' optimum proved", () => {
    const host: HostEvidence = {
      ...alone,
      host: "a",
      algorithm: "octans_extended",
      status: "feasible",
      score: 7.3,
      bound: 8,
      evaluations: 900,
      trusted: true,
      predictor: "curves",
      improved: true,
      unproven: "a search under pressure curves proves nothing",
      candidates: [
        { algorithm: "octans_extended", score: 7.1, proved: false },
        { algorithm: "exact", score: 6.8, proved: true },
      ],
    };
    const body = planBody(
      {},
      { algorithm: "octans_extended", status: "feasible", score: 7.3, bound: 8, hosts: [host] },
    );
    const { container } = show(<EvidenceSection plan={fullPlan()} body={body} />);
    for (const text of [
      "best found under pressure curves, within 8.8 % of the bound",
      "octans_extended 7.10, exact 6.80 (optimal under Octans' equations) by pressure curves; moves and swaps",
      "octans_extended, then moves and swaps",
      "a search under pressure curves proves nothing",
    ]) {
      expect(container.textContent).toContain(text);
    }
    expect(container.textContent).not.toContain(", proved");
  });

  it("marks score and throughput as assumed where a chain's figure is", () => {
    const predicted: ChainPrediction = {
      chain: "web",
      throughput_mpps: 5,
      provenance: "predicted",
      throughput_slo: null,
      latency_slo: null,
      bottleneck: null,
      nfs: [],
      note: null,
      assumes: [],
    };
    const marks = (predictions: ChainPrediction[]) => {
      const { container, unmount } = show(<EvidenceSection plan={fullPlan()} body={planBody({ predictions })} />);
      const found = within(container)
        .getAllByRole("img")
        .map((mark) => mark.getAttribute("aria-label"));
      unmount();
      return found;
    };
    expect(marks([predicted])).toEqual(["predicted", "predicted"]);
    expect(marks([predicted, { ...predicted, provenance: "assumed" }])).toEqual(["assumed", "assumed"]);
  });

  it("says of each host whether its models were tested, and why it is not proved", () => {
    const models = [{ nf_type: "nids", host_model: "m", version: "fit-1", provenance: "predicted", trust: "trusted" }];
    const proved = { ...hosts[0], status: "optimal" } as const;
    const why = "the search ended at its limit of time";
    const told = [
      { ...proved, host: "tested" },
      { ...proved, host: "untested", doubt: "untested" },
      { ...proved, host: "late", status: "feasible", unproven: why },
    ] as HostEvidence[];
    const { evidence } = planBody({}, { hosts: told, models: models as ModelUse[] });
    show(<HostEvidenceSection evidence={evidence} />);
    const words = (host: string) => screen.getByRole("row", { name: new RegExp(`^${host} `) }).textContent;
    expect(words("tested")).toContain("optimal");
    expect(words("untested")).toContain("best under untested models");
    expect(words("untested")).not.toContain("optimal");
    expect(words("late")).toContain(`feasible under Octans' equationsnot proved: ${why}`);
    expect(screen.getByText("1 of 3 hosts optimal, 1 best under untested models")).toBeTruthy();
    // Of a plan of an earlier version that rests on untested models alone no host is optimal.
    cleanup();
    const { trust: _, ...untested } = models[0] as ModelUse;
    const old = planBody({}, { hosts: told.slice(0, 2).map(({ doubt: _, ...host }) => host), models: [untested] });
    show(<HostEvidenceSection evidence={old.evidence} />);
    expect(document.body.textContent).not.toContain("optimal");
    cleanup();
    const one = planBody({}, { status: "feasible", hosts: told.slice(2) });
    show(<EvidenceSection plan={fullPlan()} body={one} />);
    expect(screen.getByText(why)).toBeTruthy();
  });

  it("calls a score on shared cores no prediction", () => {
    const body = planBody({}, { status: "optimal", score: 0.21, bound: 0.21, objective_mpps: null, hosts: [hosts[2]] });
    const { container } = show(<EvidenceSection plan={fullPlan()} body={body} />);
    expect(container.textContent).toContain("best under untested models");
    expect(container.textContent).not.toContain("proved");
    expect(container.textContent).toContain("0.21, bound 0.21: ranks placements, is not a prediction");
    expect(container.textContent).toContain("shared cores: Octans' model does not apply");
  });

  it("lists hosts by their gap, and no figure of one where the model does not apply", async () => {
    const { container } = show(<HostEvidenceSection evidence={planBody({}, { hosts: [...hosts] }).evidence} />);
    const rows = screen.getAllByRole("row").slice(1);
    expect(
      rows.map(
        (row) =>
          within(row)
            .getAllByRole("cell")
            .map((cell) => cell.textContent)[0],
      ),
    ).toEqual(["b", "a", "c"]);
    expect(rows[0]?.textContent).toContain("2.0 %"); // (100 - 98) / 100
    expect(rows[2]?.textContent).toBe("cexactshared cores––9");
    await expectAccessible(container);
  });
});

describe("moves against gain", () => {
  const frontier = [0, 1.9, 3.2, 4].map((gain, moves) => ({
    moves,
    gain_mpps: gain,
    net_mpps: gain - moves * 0.4,
    proven: moves < 3,
  }));
  const from = seat("edge-1", 1, 0);
  const changes = ["a.x", "a.y", "a.z"].map((id) => change(id, seat("edge-1", 9, 1), { kind: "move", source: from }));
  const subject = fullPlan({ body: planBody({ changes }, { frontier }) });
  const body = subject.body ?? planBody();

  it("names whose figures a proof is of", () => {
    const point = { moves: 1, gain_mpps: 2, net_mpps: 1.5, proven: true };
    expect(pointText(point)).toContain("; proved under Octans' equations: no plan");
    expect(pointText({ ...point, proven: false })).toContain("; the best found, not proved");
  });

  it("is walked by arrow keys, and what is not proved says so", async () => {
    const { container } = show(<FrontierSection plan={subject} body={body} />);
    const slider = screen.getByRole("slider", { name: "Moves" });
    expect(slider.getAttribute("aria-valuetext")).toContain(
      "3 moves: +4.0 value × Mpps, +2.8 after the cost of moves; the best found, not proved",
    );
    await userEvent.tab();
    await userEvent.tab();
    slider.focus();
    await userEvent.keyboard("{ArrowLeft}");
    expect(slider.getAttribute("aria-valuetext")).toContain(
      "2 moves: +3.2 value × Mpps, +2.4 after the cost of moves; proved",
    );
    await userEvent.keyboard("{Home}{ArrowLeft}");
    expect(slider.getAttribute("aria-valuenow")).toBe("0");
    await expectAccessible(container);
  });

  it("asks for the same with at most so many moves; not for what is on the screen", async () => {
    show(<FrontierSection plan={subject} body={body} />);
    expect(screen.getByRole("button", { name: "Re-plan with at most 3 moves" }).getAttribute("aria-disabled")).toBe(
      "true",
    );
    const slider = screen.getByRole("slider", { name: "Moves" });
    slider.focus();
    await userEvent.keyboard("{ArrowLeft}{ArrowLeft}");
    await userEvent.click(screen.getByRole("button", { name: "Re-plan with at most 1 move" }));
    await waitFor(() => expect(wire.sent[0]?.body).toMatchObject({ intent: { kind: "replace" }, max_moves: 1 }));
  });

  it("has the same figures as a table", async () => {
    show(<FrontierSection plan={subject} body={body} />);
    await userEvent.click(screen.getByRole("radio", { name: "Table" }));
    const rows = screen.getAllByRole("row").slice(1);
    expect(rows.map((row) => row.textContent)).toEqual([
      "000proved best",
      "1+1.9+1.5proved best",
      "2+3.2+2.4proved best",
      "3+4.0+2.8best found",
    ]);
  });
});

describe("interference", () => {
  const interference: Interference = {
    host: "edge-1",
    provenance: "assumed",
    models: [],
    note: null,
    victims: [
      victim("dmz.fw", 0, [cause("neighbour", "branch.vpn", 0.1, 0.06), cause("fixed", null, 0, 0, 0.04)]),
      victim("branch.vpn", 0, [cause("neighbour", "dmz.fw", 0.03, 0)]),
    ],
  };

  it("is a grid with heads for rows and columns, walked by arrow keys and told in words", async () => {
    const { container } = show(<InterferenceMatrices interference={interference} />);
    const grid = screen.getByRole("grid", { name: /edge-1 node 0/ });
    const heads = within(grid).getAllByRole("columnheader");
    expect(heads.map((head) => head.textContent)).toEqual(["NF that loses", "fw dmz", "vpn branch", "fixed", "sum"]);
    expect(container.textContent).toContain("fw of dmz loses 2.0 of 10.0 Mpps");
    await userEvent.tab(); // the scrolled region
    await userEvent.tab(); // the one cell of the grid that is in the tab order
    await userEvent.keyboard("{ArrowRight}{ArrowRight}");
    expect(document.activeElement?.textContent).toBe("1.6");
    expect(container.textContent).toContain("fw of dmz loses 1.6 Mpps to vpn of branch: 1.0 by cache, 0.60 by memory");
    await userEvent.keyboard("{ArrowDown}{ArrowLeft}");
    expect(container.textContent).toContain("vpn of branch loses 0.30 Mpps to fw of dmz: 0.30 by cache");
    expect(grid.querySelectorAll("[tabindex='0']")).toHaveLength(1);
    await expectAccessible(container);
  });

  it("says why there is nothing to show", () => {
    const note = "shared cores: Octans' model does not apply";
    const { container } = show(<InterferenceMatrices interference={{ ...interference, victims: [], note }} />);
    expect(container.textContent).toBe(`Nothing to show: ${note}.`);
  });

  it("asks for the host that changes most, after the plan, then before it; a refusal is told in place", async () => {
    const base = ["edge-1", "edge-2"].map((host) => ({ host, generation: 4, digest: `sha256:${"a".repeat(64)}` }));
    const body = planBody({ base, changes: [change("a.b", seat("edge-2", 1))] });
    const path = "/plans/7/interference?host=edge-2&when=";
    wire.answers.set(`GET ${path}after`, { status: 200, body: { ...interference, host: "edge-2" } });
    const refusal = {
      type: "urn:sextant:problem:host-moved-on",
      title: "The host has moved on",
      detail: "It is not kept.",
    };
    wire.answers.set(`GET ${path}before`, { status: 409, body: refusal });
    const { container } = show(<PlanInterference plan={fullPlan({ body })} body={body} />);
    await screen.findByRole("grid", { name: /edge-2 node 0/ });
    expect(screen.getByRole("img", { name: "assumed" })).toBeTruthy();
    await userEvent.click(screen.getByRole("radio", { name: "Before" }));
    await waitFor(() => expect(container.textContent).toContain("The host has moved on. It is not kept."));
    expect(screen.queryByRole("grid")).toBeNull();
  });
});

describe("a plan of thousands of changes", () => {
  const many = Array.from({ length: 15_000 }, (_, index) =>
    change(`chain-${Math.floor(index / 3)}.nf-${index % 3}`, seat(`h-${index % 1000}`, 1)),
  );

  it("draws one page, says how much there is, and leaves out nothing", async () => {
    const { container } = show(<ChangesTable changes={many} />);
    expect(screen.getAllByRole("row")).toHaveLength(26);
    expect(container.textContent).toContain("1–25 of 15\u2009000 changes");
    await userEvent.click(screen.getByRole("button", { name: "Last" }));
    expect(screen.getAllByRole("row").at(-1)?.textContent).toContain("15000 start");
    await expectAccessible(container);
  });

  it("is narrowed to a host, chain or NF, and keeps the plan's numbers", async () => {
    const { container } = show(<ChangesTable changes={many} />);
    await userEvent.type(screen.getByRole("searchbox"), "chain-4999.");
    await waitFor(() => expect(screen.getAllByRole("row")).toHaveLength(4));
    expect(screen.getAllByRole("row")[1]?.textContent).toContain("14998 start");
    expect(container.textContent).toContain("3 of 15\u2009000 changes match");
    await userEvent.type(screen.getByRole("searchbox"), "x");
    await waitFor(() => expect(container.textContent).toContain("No change's host, chain or NF contains that text."));
  });

  it("shows its chains in pages, and a chain's NFs when it is opened", async () => {
    const prediction = (chain: string) => ({
      chain,
      assumes: [],
      throughput_mpps: 5,
      bottleneck: `${chain}.fw`,
      provenance: "predicted" as const,
      throughput_slo: null,
      latency_slo: null,
      nfs: [
        {
          nf_id: `${chain}.fw`,
          mpps: 4,
          ideal_mpps: 8,
          llc_drop: 0.25,
          mem_drop: 0.15,
          fixed_drop: 0.1,
          worst: [cause("neighbour", "branch.vpn", 0.1, 0.06)],
        },
      ],
    });
    const body = planBody({ predictions: Array.from({ length: 90 }, (_, index) => prediction(`c-${index}`)) });
    const { container } = show(<PredictionsSection body={body} chains={new Map()} />);
    expect(container.textContent).toContain("1–20 of 90 chains");
    await userEvent.click(screen.getByRole("button", { name: "c-3" }));
    // 8 Mpps alone: 0.25 x 8 = 2, 0.15 x 8 = 1.2, 0.1 x 8 = 0.8 lost
    expect(container.textContent).toContain(
      "4.0 of 8.0 Mpps: cache 2.0, memory 1.2, fixed 0.80; most, 1.6, to vpn of branch",
    );
    await expectAccessible(container);
  });

  it("say where an interval comes from, and what is assumed beside models", () => {
    const shared: ChainPrediction = {
      chain: "web",
      throughput_mpps: 2.8,
      low_mpps: 2.5,
      high_mpps: 3,
      interval_source: "outcomes",
      predictor: "time-sharing",
      assumes: ["source and sink"],
      bottleneck: "web.fw",
      provenance: "predicted",
      throughput_slo: null,
      latency_slo: null,
      nfs: [],
    };
    const told = (one: ChainPrediction) => {
      const { container, unmount } = show(
        <PredictionsSection body={planBody({ predictions: [one] })} chains={new Map()} />,
      );
      const text = container.textContent;
      unmount();
      return text;
    };
    expect(told(shared)).toContain("95 %, from earlier predictions on this host model");
    expect(told(shared)).toContain("source and sink assumed");
    expect(told({ ...shared, interval_source: "held-out", assumes: [] })).toContain("95 %, from held-out mixes");
    const note = "of nids; router, 3.1 times as quick as the slowest, has none";
    expect(told({ ...shared, interval_source: "held-out", interval_note: note, assumes: [] })).toContain(
      "95 %, from held-out mixes: of nids; router, 3.1 times as quick as the slowest, has none",
    );
    expect(told({ ...shared, interval_source: null, assumes: [] })).not.toMatch(/95 %|assumed/);
  });
});

describe("a comparison", () => {
  it("has a column an algorithm, marks the best, and shows how far the others are", async () => {
    const plans = [
      compared(1, "exact", { status: "optimal", score: 350, bound: 350, gap: 0 }),
      compared(2, "octans", { score: 343 }),
      compared(3, "anytime", { state: "planning", status: null }),
      compared(4, "brute", { state: "failed", status: null }),
    ];
    const progress = {
      stage: "solving",
      done: 1,
      total: 4,
      best: 340,
      bound: 352,
      evaluations: 7,
      seconds: 2,
    } as const;
    const briefs = new Map([[3, plan(3, { state: "planning", progress })]]);
    const { container } = show(<SideBySide plans={plans} briefs={briefs} />);
    const cells = (head: RegExp) =>
      within(screen.getByRole("row", { name: head }))
        .getAllByRole("cell")
        .map((cell) => cell.textContent);
    expect(screen.getAllByRole("columnheader").map((head) => head.textContent)).toEqual([
      "Figure",
      "exact best",
      "octans",
      "anytime",
      "brute",
    ]);
    expect(cells(/^Status/)).toEqual([
      "optimal by its models, proved",
      "feasible",
      "placing NFs on each host, 1 of 4 hosts",
      "failed",
    ]);
    expect(cells(/to the best/)).toEqual(["best", "−7.0 (−2.0 %)", "–", "–"]); // 7 / 350 = 2 %
    expect(cells(/score, value/)).toEqual(["350.0", "343.0", "340.0 so far", "–"]);
    await expectAccessible(container);
  });

  it("takes a file, says what it holds, and shows what the console says of its fields", async () => {
    const taken = vi.fn();
    function Drop(): ReactNode {
      const [file, setFile] = useState<Parameters<typeof taken>[0]>(null);
      return (
        <SnapshotDrop
          file={file}
          onFile={(next) => {
            taken(next);
            setFile(next);
          }}
          errors={[{ field: "snapshot.hosts.3.inventory.host_id", message: "'a' is named twice" }]}
        />
      );
    }
    const { container } = show(<Drop />);
    const input = container.querySelector("input[type=file]") as HTMLInputElement;
    const good = new File(['{"hosts": [{}], "chains": [{"name": "web", "nfs": [1]}]}'], "zone.json", {
      type: "application/json",
    });
    await userEvent.upload(input, good);
    await waitFor(() => expect(container.textContent).toContain("zone.json, 56 B: 1 host, 1 chain, 1 NF"));
    expect(container.textContent).toContain("snapshot.hosts.3.inventory.host_id 'a' is named twice");
    await userEvent.upload(input, new File(["<html>"], "page.json", { type: "application/json" }));
    await waitFor(() => expect(container.textContent).toContain("page.json is not JSON"));
    expect(taken).toHaveBeenLastCalledWith(null);
    await expectAccessible(container);
  });
});

describe("a name among many", () => {
  it("is typed, not scrolled for, and only a known one is taken", async () => {
    const chosen = vi.fn();
    const choices = Array.from({ length: 1000 }, (_, index) => ({ key: `h-${index}`, text: `h-${index}` }));
    const { container } = show(<Choose label="Host" value="h-0" choices={choices} onChange={chosen} />);
    const field = screen.getByRole("combobox", { name: "Host" });
    await userEvent.clear(field);
    await userEvent.type(field, "h-99");
    expect(chosen).toHaveBeenLastCalledWith("h-99");
    await userEvent.type(field, "x");
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(container.textContent).toContain("0 of 1000 names contain that");
  });
});
