import { describe, expect, it } from "vitest";
import type { Plan } from "@/api/types";
import { isOwnPath } from "@/app/own-path";
import { actReason } from "@/app/permission";
import { layerOf } from "@/fleet/layers";
import { migrationTargets } from "@/fleet/migration-targets";
import { modelOf } from "@/fleet/model";
import { offersOf } from "@/operations/actions";
import { againReason, applyReason, isToReview, movedHosts } from "@/plans/applicable";
import { differenceRows } from "@/plans/difference";
import { DEFAULT_SOLVING } from "@/plans/solving";
import { plan as brief, host, nf, operation } from "./fixtures";

function plan(change: Partial<Plan>, changes = 1): Plan {
  return {
    id: 1,
    state: "proposed",
    intent: { kind: "place", chain: "web" },
    solving: DEFAULT_SOLVING,
    source: "fleet",
    digest: "sha256:00",
    body: {
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
    expect(actReason("viewer", null)).toBe("Needs the role operator. You are viewer.");
    expect(actReason(undefined, null)).toContain("not signed in");
    expect(actReason("operator", "old")).toBe("old");
    expect(actReason("admin", null)).toBeNull();
  });

  it("says for every state of a plan whether it may be applied", () => {
    expect(applyReason(plan({}))).toBeNull();
    for (const state of ["planning", "applying", "applied", "superseded", "rejected", "failed"] as const) {
      expect(applyReason(plan({ state }))).not.toBeNull();
    }
    expect(applyReason(plan({}, 0))).toBe("The plan changes nothing: there is nothing to apply.");
    expect(againReason(plan({ intent: { kind: "remove", chain: "web" } }))).not.toBeNull();
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

  it("gives every core that an NF cannot move to the cause", () => {
    const view = host("edge-1", 1, 4, 1, { cores: [{ core: 2, busy_percent: 12 }] });
    const cores = view.inventory?.cores ?? [];
    if (cores[0]) cores[0].reserved_for = "system";
    const nfs = new Map([nf("web.a", "edge-1", 1), nf("web.b", "edge-1", 3)].map((each) => [each.nf_id, each]));
    const model = modelOf(view, nfs, layerOf("cpu"), new Set(), "labelled");
    expect(migrationTargets(nf("web.a", "edge-1", 1), model).map((choice) => [choice.note, choice.disabled])).toEqual([
      ["reserved for system", true],
      ["it stands here", true],
      ["free, 12 % busy", false],
      ["taken", true],
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
