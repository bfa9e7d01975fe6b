/** Asking for a plan, what it is while it is made, its gains, pictures and changes. */
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { beforeEach, describe, expect, it, vi } from "vitest";

const wire = await vi.hoisted(() => import("./wire"));
const went = vi.hoisted(() => vi.fn());

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => went,
}));

import type { ChainPrediction, PlanBody, Rejection } from "@/api/types";
import { ChangesTable, gainOf } from "@/plans/changes-table";
import { alike, DoesNotFit, intentOf, shortText } from "@/plans/does-not-fit";
import { foreseenAfter, foreseenBefore, painted, whyNothing } from "@/plans/picture-layers";
import { PlanBar } from "@/plans/plan-bar";
import { PlanPictures } from "@/plans/plan-pictures";
import { Planning } from "@/plans/planning";
import { PredictionsSection } from "@/plans/predictions";
import { cause, change, fullPlan, host, planBody, seat } from "./fixtures";
import { expectAccessible, show } from "./plan-page";

beforeEach(() => {
  wire.sent.length = 0;
  wire.answers.clear();
  went.mockClear();
});

describe("asking for a plan", () => {
  it("takes one press with what the plan was asked with", async () => {
    const solving = { algorithm: "octans", time_limit_s: 5, seed: 3, max_moves: 2 } as const;
    show(<PlanBar plan={fullPlan({ solving, intent: { kind: "place", chain: "web", more: [] } })} />);
    await userEvent.click(screen.getByRole("button", { name: "Re-plan" }));
    await waitFor(() => expect(went).toHaveBeenCalledWith({ to: "/plans/$planId", params: { planId: "8" } }));
    expect(wire.sent).toEqual([
      { method: "POST", path: "/plans", body: { intent: { kind: "place", chain: "web", more: [] }, ...solving } },
    ]);
  });

  it("offers neither Apply nor Reject once it is decided, and says what became of it", () => {
    for (const [state, words] of [
      ["applied", "The plan was applied."],
      ["rejected", "The plan was rejected."],
      ["failed", "The plan failed."],
    ] as const) {
      const { unmount } = show(<PlanBar plan={fullPlan({ state })} />);
      expect(screen.getByText(words)).toBeTruthy();
      for (const name of [/^Apply/, "Reject"]) expect(screen.queryByRole("button", { name })).toBeNull();
      expect(screen.getByRole("button", { name: "Re-plan" })).toBeTruthy();
      unmount();
    }
  });

  it("takes another algorithm and limit from its options, and says beside the field what is wrong", async () => {
    show(<PlanBar plan={fullPlan()} />);
    await userEvent.click(screen.getByRole("button", { name: /Options/ }));
    const dialog = screen.getByRole("dialog");
    expect(dialog.textContent).toContain("Where models are wrong, these may carry more than a proved optimum");
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

  it("is a dash with the reason where it is not predictable, and 0 where a move gains nothing", () => {
    const why = "no model predicts LLC ways of dmz's own";
    const moved = [
      change("dmz.nids", to, { kind: "move", source: from, gain_mpps: null, no_gain: why }),
      change("dmz.vpn", to, { kind: "move", source: from, gain_mpps: 0, weighted_gain: 0 }),
    ];
    show(<ChangesTable changes={moved} linked={false} />);
    const dashes = screen.getAllByTitle(`Not predictable: ${why}.`).map((cell) => cell.textContent);
    expect(dashes).toEqual(["–", "–"]);
    expect(screen.getByTitle(/^Additional throughput/).textContent).toBe("0");
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
    const { container } = show(<PlanPictures body={body} hosts={new Map([["edge-1", view]])} types={[]} planId={1} />);
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
    show(<PlanPictures body={old as PlanBody} hosts={new Map([["edge-1", view]])} types={[]} planId={1} />);
    expect(document.body.textContent).not.toContain("other work");
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
    const textOf = (one: ChainPrediction) => {
      const { container, unmount } = show(
        <PredictionsSection body={planBody({ predictions: [one] })} chains={new Map()} />,
      );
      const text = container.textContent;
      unmount();
      return text;
    };
    expect(textOf(shared)).toContain("95 %, from earlier predictions on this host model");
    expect(textOf(shared)).toContain("source and sink assumed");
    expect(textOf({ ...shared, interval_source: "held-out", assumes: [] })).toContain("95 %, from held-out mixes");
    const note = "of nids; router, 3.1 times as quick as the slowest, has none";
    expect(textOf({ ...shared, interval_source: "held-out", interval_note: note, assumes: [] })).toContain(
      "95 %, from held-out mixes: of nids; router, 3.1 times as quick as the slowest, has none",
    );
    expect(textOf({ ...shared, interval_source: null, assumes: [] })).not.toMatch(/95 %|assumed/);
  });

  it("says what is short, why in the fewest reasons, and plans what would help as if it were so", () => {
    const short = { host: "vm", node: 0, cores: 2 };
    expect(shortText(short)).toBe("2 slots on vm node 0");
    const remove = { text: "remove old (value 1) from vm", assume: [{ kind: "removed" as const, name: "old" }] };
    const move = { text: "move old from vm to big-1", assume: [], move: { chain: "old", host: "big-1" } };
    const buy = { text: "add 2 slots on vm", assume: [] };
    const rejected = [
      {
        chain: "big",
        reason: "no room",
        short,
        relax: buy.text,
        relaxations: [remove, move, buy],
        conflict: ["vm is full"],
      },
    ];
    const { container } = show(<DoesNotFit rejected={rejected} />);
    expect(container.textContent).toContain("2 slots on vm node 0");
    expect(container.textContent).toContain("The fewest reasons that together exclude every host:vm is full");
    expect(screen.getByRole("button", { name: "Preview" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Plan this move" })).toBeTruthy();
    // What no plan can try leads to where it is done.
    expect(screen.getByRole("link", { name: "Open vm" })).toBeTruthy();
    // What a preview assumes already stays assumed.
    const up = { kind: "up" as const, name: "big-1" };
    expect(intentOf("big", remove, [up])).toEqual({ kind: "place", chain: "big", assume: [up, ...remove.assume] });
    expect(intentOf("big", move, [])).toEqual({ kind: "relocate", chain: "old", host: "big-1" });
    expect(intentOf("big", buy, [])).toBeNull();
    cleanup();
    show(<DoesNotFit rejected={[{ chain: "big", reason: "no room", short, relax: "free a slot" }]} />); // earlier version
    expect(document.body.textContent).toContain("free a slot");
    expect(screen.queryByRole("button", { name: "Preview" })).toBeNull();
  });

  it("names chains together that are refused in the same words, unless one can be planned for", () => {
    const why = { reason: "no core left", short: null, conflict: [] };
    const words = { ...why, relax: null, relaxations: [{ text: "add a host", assume: [], move: null }] };
    const preview = {
      ...words,
      relaxations: [{ text: "without old", assume: [{ kind: "without", name: "old" }], move: null }],
    };
    const rejected = [
      { chain: "a", ...words },
      { chain: "b", ...preview },
      { chain: "c", ...words },
      { chain: "d", ...preview },
    ] as Rejection[];
    expect(alike(rejected).map(({ chains }) => chains)).toEqual([["a", "c"], ["b"], ["d"]]);
    show(<DoesNotFit rejected={rejected} />);
    expect(screen.getByRole("link", { name: "c" })).toBeTruthy();
    // Where another host is needed, one goes to where hosts are added; once for all that are refused in the same words.
    expect(screen.getAllByRole("link", { name: "Open the fleet" })).toHaveLength(1);
    expect(document.body.textContent).toContain("a, c: no core left");
    expect(document.body.textContent?.match(/add a host/g)).toHaveLength(1);
  });

  it("paints what is predicted of each NF, and says where nothing is", async () => {
    // web carries 2.0 Mpps of what its router can, 4.0 of 8.0 alone: half used, half lost to others.
    const nf = { nf_id: "web.a", mpps: 4, ideal_mpps: 8 };
    const after = foreseenAfter({ predictions: [prediction({ nfs: [nf], throughput_mpps: 2 })] });
    expect(after.get("web.a")).toEqual({ utilisation: 50, throughput: 2, loss: 50 });
    expect(painted("utilisation", after.get("web.a"))).toEqual({ step: 4, text: "50 %" }); // 50 of 100, nine steps
    expect(painted("utilisation", undefined)).toBeNull();
    // Before the plan the chain carried 1.0: by the same models a quarter of 4.0.
    const before = foreseenBefore(
      { predictions: [prediction({ before_mpps: 1 })] },
      { victims: [{ ...nf, chain: "web", nf_type: "router", node: 0, is_bottleneck: true, causes: [] }] },
    );
    expect(before.get("web.a")?.utilisation).toBe(25);
    expect(whyNothing([{ nf_id: "web.a" }], after, null)).toBeNull();
    expect(whyNothing([{ nf_id: "mail.b" }], after, "shared cores")).toBe("shared cores");
    expect(whyNothing([], after, "shared cores")).toBeNull();
  });
});

function prediction(part: object): PlanBody["predictions"][number] {
  return { chain: "web", throughput_mpps: null, nfs: [], ...part } as unknown as PlanBody["predictions"][number];
}
