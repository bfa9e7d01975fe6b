/** How a plan was found, and what each number of moves gains. */
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

const wire = await vi.hoisted(() => import("./wire"));

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => vi.fn(),
}));

import type { ChainPrediction, HostEvidence, ModelUse } from "@/api/types";
import { EvidenceSection, HostEvidenceSection } from "@/plans/evidence";
import { FrontierSection } from "@/plans/frontier";
import { pointText } from "@/plans/frontier-chart";
import { change, fullPlan, planBody, seat } from "./fixtures";
import { expectAccessible, show } from "./plan-page";

beforeEach(() => {
  wire.sent.length = 0;
  wire.answers.clear();
});

describe("evidence", () => {
  const alone = {
    predictor: "octans" as const,
    candidates: [] as NonNullable<HostEvidence["candidates"]>,
    improved: false,
  };
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

  it("names a Gaussian process where that compared them", () => {
    const host: HostEvidence = {
      ...alone,
      host: "a",
      algorithm: "exact",
      status: "feasible",
      score: 6.8,
      bound: 8,
      evaluations: 9,
      trusted: true,
      predictor: "gaussian-process",
      candidates: [{ algorithm: "exact", score: 6.8, proved: true }],
    };
    const body = planBody({}, { status: "feasible", score: 6.8, bound: 8, hosts: [host] });
    const { container } = show(<EvidenceSection plan={fullPlan()} body={body} />);
    for (const text of [
      "best found under a Gaussian process, within 15 % of the bound",
      "exact 6.80 (optimal under Octans' equations) by a Gaussian process",
    ]) {
      expect(container.textContent).toContain(text);
    }
    expect(container.textContent).not.toContain("pressure curves");
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
    const hostEvidence = [
      { ...proved, host: "tested" },
      { ...proved, host: "untested", doubt: "untested" },
      { ...proved, host: "late", status: "feasible", unproven: why },
    ] as HostEvidence[];
    const { evidence } = planBody({}, { hosts: hostEvidence, models: models as ModelUse[] });
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
    const old = planBody(
      {},
      { hosts: hostEvidence.slice(0, 2).map(({ doubt: _, ...host }) => host), models: [untested] },
    );
    show(<HostEvidenceSection evidence={old.evidence} />);
    expect(document.body.textContent).not.toContain("optimal");
    cleanup();
    const one = planBody({}, { status: "feasible", hosts: hostEvidence.slice(2) });
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
