import { describe, expect, it } from "vitest";
import { DEFAULT_SOLVING } from "@/api/defaults";
import type { Plan } from "@/api/types";
import { isOwnPath } from "@/app/own-path";
import { inRank, type MoveTarget, rankText, targetNotes, targetText } from "@/fleet/migration-targets";
import { offersOf } from "@/operations/actions";
import { againReason, applyReason, isToReview, movedHosts, supersededText } from "@/plans/applicable";
import { differenceRows } from "@/plans/difference";
import { actReason } from "@/session/permission";
import { plan as brief, host, operation } from "./fixtures";

function plan(change: Partial<Plan>, changes = 1): Plan {
  return {
    id: 1,
    state: "proposed",
    intent: { kind: "place", chain: "web", more: [] },
    solving: DEFAULT_SOLVING,
    source: "fleet",
    digest: "sha256:00",
    body: {
      intent: { kind: "place", chain: "web" },
      changes: Array(changes),
      adjustments: [],
      base: [{ host: "edge-1", generation: 4, digest: "sha256:00" }],
    } as never,
    error: null,
    operation_id: null,
    created_at: "",
    created_by: "admin",
    decided_at: null,
    version: 1,
    ...change,
  };
}

describe("why a button is disabled", () => {
  it("names the role, then the age of the picture", () => {
    expect(actReason("viewer", "plans.apply", null)).toBe("Needs the role operator. You are viewer.");
    expect(actReason("operator", "users.manage", "old")).toBe("Needs the role admin. You are operator.");
    expect(actReason(undefined, "read", null)).toContain("not signed in");
    expect(actReason("operator", "plans.apply", "old")).toBe("old");
    expect(actReason("admin", "users.manage", null)).toBeNull();
  });

  it("says for every state of a plan whether it may be applied", () => {
    expect(applyReason(plan({}))).toBeNull();
    for (const state of ["planning", "applying", "applied", "superseded", "rejected", "failed"] as const) {
      expect(applyReason(plan({ state }))).not.toBeNull();
    }
    expect(applyReason(plan({}, 0))).toBe("The plan changes nothing: there is nothing to apply.");
    expect(againReason(plan({ intent: { kind: "remove", chain: "web" } }))).not.toBeNull();
  });

  it("blames a host only where one has moved on, and names it", () => {
    expect(applyReason(plan({ state: "superseded" }))).not.toContain("host");
    expect(supersededText([{ host: "edge-1", expected: 4, actual: 6 }])).toBe(
      "edge-1 (generation 4 → 6) changed since it was made",
    );
    const four = ["a", "b", "c", "d"].map((host) => ({ host, expected: 1, actual: 2 }));
    expect(supersededText(four)).toContain("c (generation 1 → 2), 1 more host changed since");
    // A plan without hosts: its chain was deleted, or was given other settings.
    expect(supersededText([])).not.toContain("host");
  });

  it("notices a host that has moved on since the plan was made", () => {
    const at = (generation: number) =>
      new Map([["edge-1", host("edge-1", 1, 2, 1, { desired_generation: generation })]]);
    expect(movedHosts(plan({}), at(4))).toEqual([]);
    expect(movedHosts(plan({}), at(6))).toEqual([{ host: "edge-1", expected: 4, actual: 6 }]);
  });

  it("gives every action of an operation its effect or the reason it is refused", () => {
    const stopped = operation(1, {
      state: "FAILED_TEMP",
      actions: [
        { action: "retry", allowed: true, reason: "goes on at put" },
        { action: "cancel", allowed: false, reason: "it has stopped already" },
      ],
    });
    const offers = offersOf(stopped, null);
    expect(offers.map((offer) => [offer.action, offer.reason])).toEqual([
      ["retry", null],
      ["rollback", "The console does not offer it now."],
      ["cancel", "it has stopped already"],
      ["fail", "The console does not offer it now."],
    ]);
    expect(offersOf(stopped, "stale")[0]).toMatchObject({ reason: "stale", effect: "goes on at put" });
  });

  it("offers of an operation that has ended only what can still be done", () => {
    const refused = (action: "retry" | "rollback" | "cancel" | "fail") => ({ action, allowed: false, reason: "ended" });
    const actions = [refused("retry"), refused("rollback"), refused("cancel"), refused("fail")];
    expect(offersOf(operation(1, { state: "COMPLETED", actions }), null)).toEqual([]);
    const back = { action: "rollback" as const, allowed: true, reason: "every order is undone" };
    const failed = operation(2, { state: "FAILED", actions: [refused("retry"), back] });
    expect(offersOf(failed, "stale").map(({ action, reason }) => [action, reason])).toEqual([["rollback", "stale"]]);
  });
});

describe("where an NF may move", () => {
  const target = (core: number, change: Partial<MoveTarget> = {}): MoveTarget => ({
    core,
    node: 0,
    why_not: null,
    rank: 1,
    chain_mpps: 6.6,
    change_mpps: 0,
    others_mpps: 0,
    worse: [],
    ...change,
  });

  it("lists the best core first, and apart those that cannot take it", () => {
    const worst = target(1, { rank: 2, chain_mpps: 6.2, change_mpps: -0.4 });
    const full = target(0, { rank: null, why_not: "core 0 is full" });
    const [open, closed] = inRank([full, worst, target(3), target(2)]);
    expect(open.map(({ core }) => core)).toEqual([2, 3, 1]);
    expect(closed).toEqual([full]);
  });

  it("says what the chain would carry, and what it does to others", () => {
    expect(targetText(target(2), 6.6)).toBe("6.60 Mpps as now");
    expect(targetText(target(2, { chain_mpps: 6.2, change_mpps: -0.4 }), 6.6)).toBe("6.60 → 6.20 Mpps");
    expect(rankText(target(2, { rank: 1, change_mpps: 0 })), "best of what changes nothing").toBe("as now");
    expect(rankText(target(2, { rank: 1, change_mpps: 0.3 }))).toBe("best");
    expect(rankText(target(2, { rank: 3, change_mpps: -0.4 }))).toBe("rank 3");
    expect(targetText(target(2, { chain_mpps: null, change_mpps: null }), null)).toBe("nothing predicted");
    const detail = "its NFs would share cores with 3 more NFs";
    const worse: MoveTarget["worse"] = [
      { chain: "dns", what: "latency", before_mpps: null, after_mpps: null, breaks_slo: false, detail },
    ];
    expect(targetNotes(target(2, { others_mpps: -0.4, worse }))).toBe(
      "other chains −0.40 Mpps; dns: its NFs would share cores with 3 more NFs",
    );
    expect(targetNotes(target(2))).toBe("");
    const used = target(2, { rank: 1, other_percent: 63 });
    expect([rankText(used), targetNotes(used)]).toEqual([
      "other",
      "other work uses 63 % of the core, which predictions ignore",
    ]);
  });
});

describe("what waits for the operator", () => {
  it("is a proposed plan of this fleet; no study, and none that stands beside others in a comparison", () => {
    expect(isToReview(brief(1))).toBe(true);
    expect(isToReview(brief(1, { state: "applied" }))).toBe(false);
    expect(isToReview(brief(1, { source: "file", comparison_id: 4 }))).toBe(false);
    expect(isToReview(brief(1, { comparison_id: 4 }))).toBe(false);
  });
});

describe("refused plans and addresses", () => {
  it("shows the difference as rows, whatever its values are", () => {
    const difference = {
      "edge-1": { expected: 4, actual: 5 },
      "edge-2": { expected: { generation: 1, digest: `sha256:${"a".repeat(64)}` }, actual: null },
      odd: "text",
    };
    expect(differenceRows(difference)).toEqual([
      { what: "edge-1", expected: "4", actual: "5" },
      { what: "edge-2", expected: "generation 1, digest sha256:aaaaaaaa", actual: "–" },
    ]);
  });

  it("goes back only to addresses of this console", () => {
    expect(isOwnPath("/plans/3")).toBe(true);
    for (const foreign of ["//evil.example", "/\\evil.example", "https://evil.example", 3, undefined]) {
      expect(isOwnPath(foreign)).toBe(false);
    }
  });
});
