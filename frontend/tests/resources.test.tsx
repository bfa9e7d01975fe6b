/** Resources of an NF: what is asked for of what was typed, and how a plan shows it. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const wire = vi.hoisted(() => {
  const sent: { method: string; path: string; body: unknown }[] = [];
  globalThis.fetch = async (input) => {
    const request = input as Request;
    const text = await request.text();
    sent.push({ method: request.method, path: new URL(request.url).pathname, body: text ? JSON.parse(text) : null });
    return new Response(JSON.stringify({ id: 8 }), { status: 202 });
  };
  return { sent };
});
const went = vi.hoisted(() => vi.fn());

vi.mock("@tanstack/react-router", () => ({
  Link: ({ children }: { children: ReactNode }) => <a href="/x">{children}</a>,
  useNavigate: () => went,
}));

import { sessionQuery } from "@/api/queries";
import type { ChainControl, ChainView, HostView, NfView } from "@/api/types";
import { allocationsOf, allocationText, groupsOf } from "@/capabilities/allocations";
import {
  CHAIN_RESOURCES,
  differencesText,
  limitsOf,
  limitsOfChain,
  type ResourceEdits,
  togetherOf,
  wantedFrom,
  wantedOf,
} from "@/capabilities/resources";
import { ResourcesForm } from "@/fleet/resources-form";
import { ChangesTable } from "@/plans/changes-table";
import { PlanPictures } from "@/plans/plan-pictures";
import { asGiven, controlText } from "@/resources/given-by-law";
import { ResourceStrips } from "@/resources/resource-strips";
import { cli } from "@/session/cli";
import { change, host, nf, planBody, seat } from "./fixtures";
import { show as showPart } from "./plan-page";

const OFFERED = ["resctrl-cat", "resctrl-mba", "cpu-share"];

/** 11 ways, three steps of bandwidth; `without`: what it does not offer. */
function able(without: string[] = []): HostView {
  const view = host("edge-1", 1, 4);
  if (!view.inventory) throw new Error("the fixture has an inventory");
  const nodes = view.inventory.nodes.map((node) => ({
    ...node,
    llc: { size_bytes: 1, ways: 11, ways_shared_with_nic: 0 },
    memory_bandwidth_steps_percent: [10, 50, 100],
  }));
  const capabilities = OFFERED.map((name) => ({ name, available: !without.includes(name), reason: "no CAT here" }));
  return { ...view, inventory: { ...view.inventory, nodes, capabilities } };
}

function given(id: string, core: number, resources: Partial<NfView["seat"]> = {}): NfView {
  const placed = nf(id, "edge-1", core);
  return { ...placed, seat: { ...placed.seat, ...resources } };
}

const FIREWALL = given("web.firewall", 1, { cpu_share: 200 });
const NAT = given("web.nat", 2, { llc_ways: 4 });

function wanted(edits: ResourceEdits) {
  return wantedOf(FIREWALL, edits, limitsOf(able(), FIREWALL, [FIREWALL, NAT]));
}

describe("what is asked for", () => {
  it("is what differs, and null for what is emptied", () => {
    expect(wanted({ llc_ways: "4", cpu_share: "", cpu_quota_percent: " 12.5 " }).request).toEqual({
      host: "edge-1",
      llc_ways: 4,
      cpu_share: null,
      cpu_quota_percent: 12.5,
    });
  });

  it("is nothing where nothing differs", () => {
    expect(wanted({ cpu_share: "200", llc_ways: "" }).request).toBeNull();
  });

  it.each([
    [{ llc_ways: "7" }, "llc_ways", "at most 6"], // 11 ways, one shared, 4 of web.nat
    [{ llc_ways: "2.5" }, "llc_ways", "a whole number is needed"],
    [{ memory_bandwidth_percent: "0" }, "memory_bandwidth_percent", "at least 1"],
    [{ cpu_share: "10001" }, "cpu_share", "at most 10000"],
    [{ cpu_quota_percent: "many" }, "cpu_quota_percent", "a number is needed"],
  ] as const)("%o is wrong under its field", (edits, resource, message) => {
    const { request, errors } = wanted(edits);
    expect([request, errors.get(resource)]).toEqual([null, message]);
  });
});

describe("the form", () => {
  beforeEach(() => {
    wire.sent.length = 0;
    went.mockClear();
  });
  afterEach(cleanup);

  function show(view: HostView, of: NfView = FIREWALL) {
    const client = new QueryClient();
    const session = {
      username: "o",
      role: "operator" as const,
      csrf_token: "t",
      expires_at: "2026-11-22T00:00:00Z",
      must_change_password: false,
      issuer: null,
    };
    client.setQueryData(sessionQuery.queryKey, session);
    render(
      <QueryClientProvider client={client}>
        <ResourcesForm nf={of} host={view} nfs={[FIREWALL, NAT]} onClose={() => undefined} />
      </QueryClientProvider>,
    );
  }

  it("plans the change and goes to the plan", async () => {
    show(able());
    await userEvent.type(screen.getByLabelText("LLC ways"), "4");
    await userEvent.click(screen.getByRole("button", { name: "Plan the change" }));
    expect(wire.sent[0]?.body).toMatchObject({
      intent: { kind: "resources", resources: { "web.firewall": { host: "edge-1", llc_ways: 4 } } },
    });
    const there = { to: "/plans/$planId", params: { planId: "8" } };
    await vi.waitFor(() => expect(went).toHaveBeenCalledWith(there), { timeout: 10_000 });
  });

  it("sends nothing while something is wrong", async () => {
    show(able());
    await userEvent.type(screen.getByLabelText("LLC ways"), "40");
    expect(screen.getByText("at most 6")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Plan the change" }));
    expect(wire.sent).toEqual([]);
  });

  it("leaves ways to the chain where that has some for all its NFs", () => {
    show(able(), given("web.firewall", 1, { chain_llc_ways: 4 }));
    expect(screen.queryByLabelText("LLC ways")).toBeNull();
    const why = "web has ways or bandwidth for all its NFs together; change them on its page";
    expect(screen.getAllByText(why)).toHaveLength(2);
    expect(screen.getByLabelText("CPU quota")).toBeTruthy();
  });

  it("says why a host cannot give one", () => {
    show(able(["resctrl-cat"]));
    expect(screen.queryByLabelText("LLC ways")).toBeNull();
    expect(screen.getByText("Not on this host: no CAT here")).toBeTruthy();
    expect(screen.getByLabelText("CPU quota")).toBeTruthy();
  });
});

describe("who has what of a node", () => {
  const together = { chain_llc_ways: 4, chain_memory_bandwidth_percent: 50 };
  const nfs = [
    given("web.firewall", 1, together),
    given("web.router", 0, together),
    given("nat.nat", 2, { llc_ways: 2, memory_bandwidth_percent: 100 }),
    given("dns.dns", 3),
  ];

  it("is a chain once, with all its NFs, and NFs that have some alone", () => {
    expect(allocationsOf(nfs, "edge-1", 0)).toEqual([
      { owner: "web", chain: "web", ofChain: true, ways: 4, percent: 50 },
      { owner: "nat.nat", chain: "nat", ofChain: false, ways: 2, percent: null },
    ]);
    expect(allocationsOf(nfs, "edge-2", 0)).toEqual([]);
    expect(groupsOf(nfs, able())).toBe(2);
    expect(allocationsOf(nfs, "edge-1", 0).map(allocationText)).toEqual([
      "web, all NFs together: 4 ways, 50 % memory bandwidth",
      "nat.nat: 2 ways",
    ]);
  });

  it("leaves a chain 11 ways less the 2 of nat.nat and the one that all share", () => {
    const chain = { placement: nfs.slice(0, 2), spec: { name: "web" } } as unknown as ChainView;
    const limits = limitsOfChain(able(), chain, nfs);
    expect([limits.ways, limits.held]).toEqual([11, 2]);
    const wantedOfWeb = (edits: ResourceEdits) => wantedFrom(togetherOf(chain), CHAIN_RESOURCES, edits, limits);
    expect(wantedOfWeb({ llc_ways: "8" }).request).toEqual({ host: "edge-1", llc_ways: 8 });
    expect(wantedOfWeb({ llc_ways: "9" }).errors.get("llc_ways")).toBe("at most 8");
    expect(wantedOfWeb({ llc_ways: "" }).request).toEqual({ host: "edge-1", llc_ways: null });
  });

  it("is drawn as strips, way by way, with what all others share", () => {
    render(<ResourceStrips host={able()} placed={nfs} />);
    const drawn = screen.getAllByTitle("web, all NFs together: 4 ways, 50 % memory bandwidth");
    expect(drawn.map(({ textContent }) => textContent)).toEqual(["web 4", "web 50 % of memory bandwidth"]);
    expect(screen.getByTitle("nat.nat: 2 ways").textContent).toBe("nat.nat 2");
    expect(screen.getByText("shared 5")).toBeTruthy();
    cleanup();
  });
});

describe("a plan of resources", () => {
  afterEach(cleanup);
  const before = seat("edge-1", 1);
  const after = { ...before, llc_ways: 4, cpu_quota_percent: 40 };
  const one = change("web.firewall", after, { kind: "resources", source: before });

  it("shows each resource with what it was and will be", () => {
    expect(differencesText(before, after)).toBe("LLC ways shared → 4, CPU quota all → 40 %");
    render(<ChangesTable changes={[one]} />);
    const row = within(screen.getByRole("table", { name: "Changes" })).getAllByRole("row")[1];
    expect(row?.textContent).toContain("1 resources");
    expect(row?.textContent).toContain("LLC ways shared → 4");
    expect(row?.textContent).toContain("CPU quota all → 40 %");
  });

  it("is in the picture as what stays and gets others", () => {
    const placed = { nf_id: "web.firewall", chain: "web", position: 0, nf_type: "firewall" };
    const body = planBody({
      base: [{ host: "edge-1", generation: 3, digest: `sha256:${"0".repeat(64)}` }],
      changes: [one],
      before: [{ ...placed, seat: before }],
      after: [{ ...placed, seat: after }],
    });
    showPart(<PlanPictures body={body} hosts={new Map([["edge-1", able()]])} types={[]} planId={1} />);
    const slots = screen.getAllByTitle("web.firewall at core 1, LLC ways shared → 4, CPU quota all → 40 %");
    expect(slots.map(({ className }) => className.trim())).toEqual(["slot taken gets", "slot taken gets"]);
    expect(screen.getByText("other resources, same place")).toBeTruthy();
  });

  it("draws who has what before and after", () => {
    const placed = { nf_id: "web.firewall", chain: "web", position: 0, nf_type: "firewall" };
    const shared = { ...before, chain_llc_ways: 4 };
    const body = planBody({
      base: [{ host: "edge-1", generation: 3, digest: `sha256:${"0".repeat(64)}` }],
      changes: [change("web.firewall", shared, { kind: "resources", source: before })],
      before: [{ ...placed, seat: before }],
      after: [{ ...placed, seat: shared }],
    });
    render(
      <QueryClientProvider client={new QueryClient()}>
        <PlanPictures planId={null} body={body} hosts={new Map([["edge-1", able()]])} types={[]} />
      </QueryClientProvider>,
    );
    const [was, willBe] = screen.getAllByRole("figure").map((figure) => within(figure));
    expect(was?.getByText("shared 11")).toBeTruthy();
    expect(willBe?.getByText("web 4")).toBeTruthy();
    expect(willBe?.getByText("shared 7")).toBeTruthy();
    expect(differencesText(before, shared)).toBe("LLC ways of its chain shared → 4");
  });

  it("of a chain is a command without a host", () => {
    const chains = { web: { host: "edge-1", llc_ways: 4, memory_bandwidth_percent: null } };
    expect(
      cli.askPlan({ kind: "resources", chains }, { algorithm: null, time_limit_s: 10, seed: 0, max_moves: null }),
    ).toBe("sextant plans ask --set web.llc_ways=4 --set web.memory_bandwidth_percent=none");
  });

  it("is a command with every setting", () => {
    const resources = { "web.firewall": { host: "edge-1", llc_ways: 4, cpu_share: null } };
    expect(
      cli.askPlan({ kind: "resources", resources }, { algorithm: null, time_limit_s: 10, seed: 0, max_moves: null }),
    ).toBe("sextant plans ask --set edge-1.web.firewall.llc_ways=4 --set edge-1.web.firewall.cpu_share=none");
  });
});

describe("what a law on the host's agent gave", () => {
  const GAVE: ChainControl = {
    chain: "web",
    law: "numasfp",
    law_version: 1,
    table: `sha256:${"a".repeat(64)}`,
    llc_ways: 4,
    memory_bandwidth_percent: 40,
    rate_gbps: 7.5,
    level_gbps: 8,
    state: "in_full",
    note: null,
  };
  const WEB = given("web.nat", 2, { chain_llc_ways: 2, chain_memory_bandwidth_percent: 10 });

  it("takes the place of what the chain began with, and not of others' own", () => {
    const ordered = allocationsOf([WEB, given("dns.nat", 1, { llc_ways: 3 })], "edge-1", 0);
    expect(asGiven(ordered, [GAVE]).map(({ owner, ways, percent }) => [owner, ways, percent])).toEqual([
      ["web", 4, 40],
      ["dns.nat", 3, null],
    ]);
  });

  it.each<[Partial<ChainControl>, string]>([
    [{}, "web: 4 ways, 40 %, set by numasfp: enough for 7.5 Gbps by its table"],
    [{ rate_gbps: null, llc_ways: 1 }, "web: 1 way, 40 %, set by numasfp"],
    [{ state: "short", note: "others have the rest" }, "web: 4 ways, 40 %, set by numasfp: others have the rest"],
    [{ state: "held", note: "all are stopped" }, "web: 4 ways, 40 %, set by numasfp, held: all are stopped"],
  ])("is said in words: %j", (change, text) => {
    expect(controlText({ ...GAVE, ...change })).toBe(text);
  });

  it("is drawn on its host's strips, of chains that stand there", () => {
    const other = { ...GAVE, chain: "gone" };
    render(<ResourceStrips host={{ ...able(), controls: [GAVE, other] }} placed={[WEB]} />);
    expect(screen.getByText("web 4")).toBeTruthy();
    expect(screen.getByText(/^web: 4 ways, 40 %, set by numasfp/)).toBeTruthy();
    expect(screen.queryByText(/^gone:/)).toBeNull();
  });
});
