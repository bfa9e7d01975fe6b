/** NUMASFP's law on the page: words, picture, course of rates, the five steps, the form of parameters. */

import { describe, expect, it } from "vitest";
import { changedOf } from "@/automation/parameter-draft";
import { commands } from "@/automation/policy-steps";
import { changesTo, type Modes, modesText, STEPS, stepOf } from "@/automation/steps";
import { carryingCores, givenWaysOf } from "@/capabilities/given-ways";
import { controlText, lastTransfer, transfersOf, transferText } from "@/laws/numasfp/allocation/words";
import { HOST_COLUMNS } from "@/laws/numasfp/host-columns";
import { totalsText } from "@/laws/numasfp/node-picture";
import { FIELDS } from "@/laws/numasfp/parameter-fields";
import { nodesOf, spread, topOf } from "@/laws/numasfp/picture-geometry";
import { inOrder } from "@/laws/numasfp/rate-lines";
import { grown, NONE, SECONDS } from "@/laws/numasfp/rates";
import {
  boundsText,
  byNeed,
  expectedCost,
  gainAgainstMargin,
  givenText,
  headline,
  lossOfMoves,
  shortOf,
  violatedRows,
} from "@/laws/numasfp/words";
import { automationSearch } from "@/pages/searches";
import { cli } from "@/session/cli";
import { compared } from "@/ui/table-view";
import { AT, host, nf, nfSample } from "./fixtures";
import { lawChain, lawHost, lawRow, NAT, PARAMETERS, swap, WEB } from "./numasfp-fixtures";

describe("its words", () => {
  it("call two chains of different nodes a swap, with its gain in Gbps", () => {
    expect(headline(swap(), lawHost())).toBe("Swap nat and web: +3.0 Gbps");
  });

  it("do not call two chains of one node a swap", () => {
    const beside = lawHost({ chains: [{ ...NAT, node: 1 }, WEB] });
    expect(headline(swap(), beside)).toBe("4 moves of nat and web on edge-1: +3.0 Gbps");
  });

  it("call what moves nothing a hand-over, without a gain", () => {
    const handOver = swap({ moves: 0, gain_gbps: 0 });
    expect(headline(handOver, lawHost())).toBe("Let the agent set ways and bandwidth of nat, web");
    expect(expectedCost(handOver, lawHost(), 0.5)).toBe("no packets and no restart: nothing moves");
  });

  it("say what a move is reckoned to lose, and that it is assumed: half a second of 3.2 + 8.8 Gbps is 6 Gbit", () => {
    expect(lossOfMoves(swap(), lawHost(), 0.5)).toBe(6);
    expect(expectedCost(swap(), lawHost(), 0.5)).toBe("50 % of a second’s traffic of 2 chains, 6.0 Gbit, assumed");
    expect(expectedCost(swap(), lawHost({ chains: [NAT, { ...WEB, rate_gbps: null }] }), 0.5)).toBe(
      "50 % of a second’s traffic of 2 chains, assumed",
    );
    expect(expectedCost(swap(), lawHost(), undefined)).toBe("2 chains may lose packets while they move");
  });

  it("say that a loss was measured, in how many moves, and as what it is weighed: 10 % of 12 Gbit are 1.2", () => {
    const measured = { share: 0.1, moves: 3, moves_of: "host", provenance: "measured" } as const;
    expect(expectedCost(swap({ move_loss: measured }), lawHost(), 0.2)).toBe(
      "10 % of a second’s traffic of 2 chains, 1.2 Gbit, measured in 3 moves of this host; weighed as 20 %",
    );
    const own = { ...measured, moves_of: "chain", chain: "web" } as const;
    expect(expectedCost(swap({ move_loss: own }), lawHost(), 0.2)).toBe(
      "10 % of a second’s traffic of 2 chains, 1.2 Gbit, measured in 3 moves of web; weighed as 20 %",
    );
    const simulated = { ...measured, moves_of: "driver", provenance: "simulated" } as const;
    expect(expectedCost(swap({ move_loss: simulated }), lawHost(), 0.05)).toBe(
      "10 % of a second’s traffic of 2 chains, 1.2 Gbit, as the twin computed in 3 moves of hosts of its driver",
    );
  });

  it("say bounds, what a chain has, and how its agent stands with it", () => {
    expect(boundsText(NAT)).toBe("2 to 8 ways, 10 to 90 %");
    expect(boundsText(lawChain("a", { bounds: null }))).toBeNull();
    expect(givenText(NAT)).toBe("4 ways, 30 %");
    expect(givenText(lawChain("a", { llc_ways: null, memory_bandwidth_percent: null }))).toBe("shares all");
    expect(controlText(WEB)).toBe("short: no more can be given");
    expect(controlText(lawChain("a", { control: "held", note: "its rate is 3 s old" }))).toBe(
      "held: its rate is 3 s old",
    );
    expect(controlText(lawChain("a", { control: null, bounds: null }))).toBe("not handed over");
    const above = "8.8 Gbps is above the table's highest level, 8 Gbps";
    expect(controlText(lawChain("a", { control: "beyond_table", note: above }))).toBe(above);
    expect(controlText(lawChain("a", { control: "beyond_table" }))).toBe("its rate is above the highest level");
  });

  it("say who gave up which way to whom", () => {
    const transfer = { at: AT, from_chain: "nat", to_chain: "web", ways: 2, reason: "" };
    expect(transferText(transfer)).toBe("2 ways from nat to web");
    expect(transferText({ ...transfer, from_chain: null, ways: 1 })).toBe("1 way that nobody had to web");
    expect(transferText({ ...transfer, to_chain: null })).toBe("2 ways of nat given back");
    const later = { ...transfer, from_chain: "web", to_chain: "dns" };
    expect(transfersOf([transfer, later], "nat")).toEqual([transfer]);
    expect(lastTransfer([transfer, later], "web")).toBe(later);
    expect(lastTransfer([transfer, later], "mail")).toBeNull();
  });

  it("set the gain against the margin", () => {
    expect(gainAgainstMargin(lawHost({ recommendation_id: null }))).toBe(
      "3.0 Gbps, at least 0.24 needed; for 2 of 2 s",
    );
    expect(gainAgainstMargin(lawHost({ recommendation_id: 7 }))).toBe("3.0 Gbps, at least 0.24 needed");
    expect(gainAgainstMargin(lawHost({ margin_gbps: null }))).toBe("not calculated yet");
  });
});

describe("the list of hosts", () => {
  const rows = [lawRow("edge-1"), lawRow("edge-2", { violated: 1, carried_gbps: 9 }), lawRow("edge-3")];

  it("can be narrowed to hosts with a violated chain", () => {
    const needy = [
      lawRow("edge-10"),
      lawRow("edge-9"),
      lawRow("waits", { recommendation_id: 4 }),
      lawRow("short", { offered_gbps: 12, carried_gbps: 11 }),
      lawRow("silent", { offered_gbps: null, carried_gbps: null }),
      lawRow("violated", { violated: 1, offered_gbps: null, carried_gbps: null }),
      lawRow("worst", { violated: 2 }),
    ];
    expect(byNeed(needy).map((row) => row.host)).toEqual([
      "worst",
      "violated",
      "short",
      "waits",
      "edge-9",
      "edge-10",
      "silent",
    ]);
    expect(violatedRows(rows).map((row) => row.host)).toEqual(["edge-2"]);
  });

  it("does not take what is not measured for nothing", () => {
    expect(shortOf(lawRow("a", { offered_gbps: 12, carried_gbps: 9 }))).toBe(3);
    expect(shortOf(lawRow("a", { carried_gbps: null }))).toBeNull();
  });

  it("sorts each column by its figure, and what has none by nothing", () => {
    const of = (row: ReturnType<typeof lawRow>) => ({ row, ways: null, cores: null, chosen: false });
    const short = HOST_COLUMNS.find(({ key }) => key === "short")?.sort;
    expect(short?.(of(lawRow("a", { carried_gbps: 2 })))).toBe(10);
    expect(short?.(of(lawRow("a", { carried_gbps: null })))).toBeNull();
    expect(compared("edge-2", "edge-10")).toBeLessThan(0);
  });

  it("counts ways that a fresh report names: masks 0b111 and 0b11100 give 5 of (11 - 1) x 2", () => {
    const known = host("edge-1", 2, 4);
    const nodes = known.inventory?.nodes.map((node) => ({
      ...node,
      llc: { size_bytes: 1, ways: 11, ways_shared_with_nic: 0 },
    }));
    const up = { ...known, inventory: known.inventory && { ...known.inventory, nodes: nodes ?? [] } };
    const nfs = [0b111, 0b11100].map((llc_way_mask, core) =>
      nf(`web.${core}`, "edge-1", core, { sample: nfSample(`web.${core}`, { llc_way_mask }) }),
    );
    expect(givenWaysOf(up, nfs)).toEqual({ given: 5, most: 20 });
    expect(givenWaysOf({ ...up, status: "stale" }, nfs)).toBeNull();
    expect(carryingCores({ ...up, status: "unreachable" }, nfs)).toBeNull();
    expect(givenWaysOf(undefined, nfs)).toBeNull();
  });

  it("stands in the address, of which nothing else is taken", () => {
    const search = { tab: "numasfp", host: "edge-1", violated: true, sort: "-short" };
    expect(automationSearch(search)).toEqual(search);
    expect(automationSearch({ tab: "octans", host: "edge-1" })).toEqual({ tab: "octans" });
    expect(automationSearch({ tab: "other", host: "../x", sort: "nothing" })).toEqual({});
    expect(automationSearch({ tab: "numasfp", host: "../x", sort: "nothing" })).toEqual({ tab: "numasfp" });
  });
});

describe("the picture", () => {
  it("has one scale for all nodes: 8.8 Gbps need 10, so that 8.8 is 88 % high and 5.8 of it fill 66 %", () => {
    expect(topOf([NAT, WEB])).toBe(10);
    const [local, remote] = nodesOf(lawHost());
    expect(local).toMatchObject({ local: true, nfs: 2, given: 4, percent: 30 });
    expect(remote?.blocks[0]?.height).toBeCloseTo(88);
    expect(remote?.blocks[0]?.filled).toBeCloseTo(65.9, 1);
    expect(remote?.blocks[0]?.short).toBe(true);
    expect(local?.blocks[0]).toMatchObject({ filled: 100, short: false });
  });

  it.each([
    [0, 1],
    [0.9, 1],
    [1, 1],
    [1.2, 2],
    [40, 40],
    [61, 80],
  ])("fits %d Gbps under %d", (rate_gbps, top) => {
    expect(topOf([{ ...NAT, rate_gbps }])).toBeCloseTo(top);
  });

  it("draws no block of what is not measured, and puts it last", () => {
    const [node] = nodesOf({
      nodes: [{ node: 0, cores: 1, ways: 1 }],
      chains: [{ ...WEB, node: 0, rate_gbps: null }, NAT],
    });
    expect(node?.blocks.map(({ chain, height }) => [chain.chain, height === null])).toEqual([
      ["nat", false],
      ["web", true],
    ]);
  });

  it("says what is given, and what is not reported", () => {
    const [local] = nodesOf(lawHost());
    expect(local && totalsText(local)).toBe("2 NFs on 14 cores; 4 of 10 ways given, 30 % of bandwidth");
    const [bare] = nodesOf(lawHost({ chains: [] }));
    expect(bare && totalsText(bare)).toBe("0 NFs on 14 cores; no ways reported");
  });

  it("names chains on several nodes apart", () => {
    const chains = [NAT, lawChain("long", { node: null, local: null })];
    expect(spread({ chains }).map(({ chain }) => chain)).toEqual(["long"]);
  });
});

describe("the course of rates", () => {
  const later = (seconds: number) => new Date(Date.parse(AT) + seconds * 1000).toISOString();

  it("grows by each evaluation once, and forgets what is older than two minutes", () => {
    let courses = NONE;
    for (const at of [0, 1, 1, 0, 60, 121]) courses = grown(courses, lawHost({ evaluated_at: later(at) }));
    const ages = courses.chains.get("web")?.rate.map(([at]) => (courses.now ?? 0) - at);
    expect(ages).toEqual([120, 61, 0]);
    expect(Math.max(...(ages ?? []))).toBeLessThanOrEqual(SECONDS);
  });

  it("breaks where nothing was measured, and stays where nothing was evaluated", () => {
    const one = grown(NONE, lawHost());
    const two = grown(one, lawHost({ evaluated_at: later(1), chains: [{ ...WEB, rate_gbps: null }] }));
    expect(two.chains.get("web")?.rate.map(([, value]) => value)).toEqual([8.8, null]);
    expect(two.chains.has("nat")).toBe(false);
    expect(grown(two, lawHost({ evaluated_at: null }))).toBe(two);
  });

  it("shows first what falls short longest", () => {
    expect(inOrder([NAT, WEB, lawChain("big", { rate_gbps: 9 })]).map(({ chain }) => chain)).toEqual([
      "web",
      "big",
      "nat",
    ]);
  });
});

describe("the slider", () => {
  it("has a step for what it sets, whichever it stood on before", () => {
    for (let to = 0; to < STEPS.length; to += 1) {
      for (const { modes } of STEPS) {
        const { fleet, host: own } = changesTo(to, modes);
        const after: Modes = {
          fleet: fleet ?? modes.fleet,
          host: own === null ? modes.host : own === "clear" ? null : own,
        };
        expect(stepOf(after)).toBe(to);
      }
    }
  });

  it("stands between no steps where a host may do less than the fleet", () => {
    const modes: Modes = { fleet: "automatic", host: "manual" };
    expect(stepOf(modes)).toBeNull();
    expect(modesText(modes, "edge-1")).toBe("edge-1: manual; the fleet: automatic");
    expect(stepOf({ fleet: "recommend", host: "recommend" })).toBe(2);
  });

  it("changes nothing where it stands", () => {
    expect(changesTo(2, { fleet: "recommend", host: null })).toEqual({ fleet: null, host: null });
  });

  it("gives the same as commands, the host's first", () => {
    expect(commands("numasfp", changesTo(3, { fleet: "automatic", host: null }), "edge-1")).toBe(
      "sextant policy set --law numasfp --host edge-1 --mode automatic\nsextant policy set --law numasfp --mode recommend",
    );
    expect(commands("numasfp", changesTo(4, { fleet: "recommend", host: "automatic" }), "edge-1")).toBe(
      "sextant policy clear --law numasfp --host edge-1\nsextant policy set --law numasfp --mode automatic",
    );
  });
});

describe("the form of parameters", () => {
  it("sends what differs, and refuses what is no value", () => {
    expect(changedOf(PARAMETERS, { hold_intervals: "3", margin_percent: "2" }, FIELDS)).toEqual({
      changed: { hold_intervals: 3 },
      errors: {},
    });
    const { changed, errors } = changedOf(
      PARAMETERS,
      { hold_intervals: "0", budget_moves: "1.5", budget_s: "soon" },
      FIELDS,
    );
    expect(changed).toEqual({});
    expect(Object.keys(errors)).toEqual(["hold_intervals", "budget_moves", "budget_s"]);
  });

  it("takes an empty limit of loss as none, and an empty field of any other as no value", () => {
    expect(changedOf(PARAMETERS, { most_lost_packets: "", most_pause_ms: "5" }, FIELDS)).toEqual({
      changed: { most_pause_ms: 5 },
      errors: {},
    });
    const limited = { ...PARAMETERS, most_lost_packets: 1300 };
    expect(changedOf(limited, { most_lost_packets: " " }, FIELDS).changed).toEqual({ most_lost_packets: null });
    expect(Object.keys(changedOf(limited, { budget_s: "" }, FIELDS).errors)).toEqual(["budget_s"]);
    expect(cli.setNumasfpParameters({ most_lost_packets: null })).toBe(
      "sextant numasfp parameters --set most_lost_packets=none",
    );
  });

  it("gives the same as a command", () => {
    expect(cli.setNumasfpParameters({ hold_intervals: 3, cool_down_s: 2.5 })).toBe(
      "sextant numasfp parameters --set hold_intervals=3 --set cool_down_s=2.5",
    );
  });
});
