import { describe, expect, it } from "vitest";
import type { ChainPrediction, Interference, PlanBody, StandingPrediction, Victim } from "@/api/types";
import { remediesOf, sinceThen, standingOf } from "@/chains/explain";
import { differencePercent } from "@/fleet/predictions";
import { differenceText } from "@/lib/difference";
import { EMPTY, reduce } from "@/live/state";
import { rangeOf } from "@/plans/interval-bar";
import { emptyAsk, hostChoices, messageOf, readAsk, withPackets } from "@/profiling/ask-draft";
import { curvesOf, drawn } from "@/profiling/curves";
import { mergedJobs } from "@/profiling/jobs-table";
import { byPurpose, othersText } from "@/profiling/setting";
import { merged } from "@/profiling/use-job";
import { askOptions, profilingCli } from "@/session/cli-profiling";
import { cause, host, snapshot, victim } from "./fixtures";
import { ask, estimate, job, point, setting } from "./profiling-fixtures";

describe("what is asked of a profile", () => {
  const draft = emptyAsk("edge", "edge-1");

  it("is what the command takes where nothing was changed", () => {
    expect(readAsk(draft)).toEqual({ ask: ask(), errors: [] });
    expect(profilingCli.startProfile(ask())).toBe("sextant profile start edge --host edge-1");
  });

  it("names what differs as options; no rate is a rate of 0 there", () => {
    const asked = readAsk({ ...draft, rate: "", competitors: ["dpi", "vpn"], halfWidth: "0,5", fresh: true }).ask;
    expect(asked).toMatchObject({ rate_mpps: null, competitors: ["dpi", "vpn"], half_width_percent: 0.5 });
    expect(asked && askOptions(asked)).toBe(" --rate 0 --beside dpi --beside vpn --half-width 0.5 --fresh");
  });

  it("offers competitors what fills a link, by the size of packets, unless a rate was named", () => {
    // 10 Gbps / (8 x 1538 bytes) = 0.8127 Mpps.
    const large = { ...draft, ...withPackets(draft, "1518") };
    expect(readAsk(large).ask).toMatchObject({ packet_bytes: 1518, rate_mpps: 0.8127 });
    const asked = readAsk(large).ask;
    expect(asked && askOptions(asked)).toBe(" --packet-bytes 1518");
    // As it is typed: 1 and 15 are no sizes.
    let typed = draft;
    for (const text of ["1", "15", "151", "1518"]) typed = { ...typed, ...withPackets(typed, text) };
    expect(typed.rate).toBe("0.8127");
    const named = { ...draft, rate: "2", atLineRate: false };
    expect(withPackets(named, "1518").rate).toBe("2");
  });

  it("proposes as many flows as the host can play; a number that was named stays, or is refused", () => {
    expect(readAsk(draft, 8192).ask?.flows).toBe(8192);
    expect(readAsk(draft, 500_000).ask?.flows).toBe(100_000);
    const asked = readAsk({ ...draft, flows: "1000" }, 8192).ask;
    expect(asked && askOptions(asked)).toBe(" --flows 1000");
    expect(readAsk({ ...draft, flows: "9000" }, 8192)).toEqual({
      ask: null,
      errors: [{ field: "flows", message: "a whole number, 1 to 8192" }],
    });
  });

  it("is refused beside the field, by the API's names", () => {
    const { ask: none, errors } = readAsk({ ...draft, host: "", packetBytes: "63", rate: "0", maxSamples: "3.5" });
    expect(none).toBeNull();
    expect(errors.map(({ field }) => field)).toEqual(["host", "rate_mpps", "packet_bytes", "max_samples"]);
    expect(messageOf([{ field: "competitors.2", message: "there is none" }], "competitors")).toBe("there is none");
    expect(messageOf([{ field: "host", message: "busy" }], "competitors")).toBeUndefined();
  });

  it("offers hosts that can first; the others say why not", () => {
    const able = (id: string, available: boolean, reason = "") => {
      const made = host(id);
      const capabilities = [{ name: "profiling", available, reason }];
      return { ...made, inventory: made.inventory && { ...made.inventory, capabilities } };
    };
    const hosts = [
      able("a", false, "no quiet core"),
      { ...able("b", true), status: "unreachable" as const, status_reason: "since 14:02" },
      host("c"),
      able("d", true),
    ];
    expect(hostChoices(hosts).map(({ key, note, disabled }) => [key, note, disabled])).toEqual([
      ["d", "m", false],
      ["a", "no quiet core", true],
      ["b", "unreachable: since 14:02", true],
      ["c", "its agent does not offer profiling", true],
    ]);
  });
});

describe("points", () => {
  it("say what stands beside the NF, grouped by type and node", () => {
    expect(othersText(setting("ideal"))).toBe("alone");
    expect(othersText(setting("across", "2 dpi@0 1 vpn@1"))).toBe("2 dpi on node 0, 1 vpn on node 1");
    expect(othersText(setting("sensitivity", "3 bubble@0", { bubble_kib: 4096 }))).toBe("3 bubble of 4 MiB on node 0");
    expect(othersText(setting("rates", "5 dpi@0", { rate_mpps: 0.93 }))).toBe("5 dpi on node 0 at 0.93 Mpps");
    expect(othersText(setting("rates", "5 dpi@0", { others_a_chain: 3 }))).toBe("5 dpi on node 0 in chains of 3");
    expect(othersText(setting("local", "5 dpi@0", { rate_mpps: 14.88 }))).toBe("5 dpi on node 0");
  });

  it("are counted by purpose, alone first", () => {
    const counted = byPurpose([setting("local", "1 dpi@0"), setting("ideal"), setting("local", "2 dpi@0")]);
    expect(counted.map(({ title, points }) => [title, points])).toEqual([
      ["Alone", 1],
      ["Beside competitors", 2],
    ]);
  });

  it("make a curve of each type of competitors, by their number; those without a drop make none", () => {
    const points = [
      point(1, setting("ideal"), { mpps: estimate(12) }),
      point(2, setting("local", "3 dpi@0"), { drop_percent: estimate(9) }),
      point(3, setting("local", "1 dpi@0"), { drop_percent: estimate(4, null) }),
      point(4, setting("local", "1 vpn@0"), { drop_percent: estimate(2) }),
      point(5, setting("local", "1 dpi@0 1 vpn@0"), { drop_percent: estimate(5) }),
      point(6, setting("local", "2 dpi@0"), { state: "running" }),
      // 4 bubbles of 2 MiB are 8 MiB.
      point(7, setting("sensitivity", "4 bubble@0", { bubble_kib: 2048 }), { drop_percent: estimate(1) }),
    ];
    const curves = curvesOf(points, "local");
    expect(curves.map(({ name, points: found }) => [name, found.map(({ x, y, half }) => [x, y, half])])).toEqual([
      [
        "dpi",
        [
          [1, 4, null],
          [3, 9, 0.5],
        ],
      ],
      ["a mix", [[2, 5, 0.5]]],
      ["vpn", [[1, 2, 0.5]]],
    ]);
    expect(curvesOf(points, "sensitivity")).toMatchObject([{ name: "4 bubbles", points: [{ x: 8, y: 1 }] }]);
    expect([...drawn(points)]).toEqual(["local", "sensitivity"]);
  });
});

describe("the stream of a job", () => {
  const waiting = point(1, setting("ideal"));
  const done = point(1, setting("ideal"), { state: "done", mpps: estimate(12) });
  const event = (version: number, changed: typeof done | null) =>
    ({ event: "profiling", job: job({ version }), point: changed }) as const;

  it("keeps each point that it reports, until the next snapshot; an older event changes nothing", () => {
    const state = reduce(EMPTY, [snapshot({ profiling: [job({ version: 7 })] }), event(8, done), event(8, null)]);
    expect(state.profiling.get(4)?.version).toBe(8);
    expect(state.points.get(4)?.get(1)?.state).toBe("done");
    expect(
      reduce(state, [event(6, waiting)])
        .points.get(4)
        ?.get(1)?.state,
    ).toBe("done");
    expect(reduce(state, [snapshot()]).points.size).toBe(0);
  });

  it("is newer than what was fetched, but for what it had reported before that was asked for", () => {
    const live = new Map([[1, done]]);
    expect(merged([waiting], undefined, live)).toEqual([done]);
    // A retry made it wait again, which only the answer knows.
    expect(merged([waiting], live, live)).toEqual([waiting]);
    const again = { ...done, tries: 2 };
    expect(merged([waiting], live, new Map([[1, again]]))).toEqual([again]);
  });

  it("brings the list up to date; jobs that wait for somebody come first", () => {
    const live = new Map([
      [2, job({ id: 2, state: "PAUSED", version: 9 })],
      [5, job({ id: 5, ask: ask({ nf_type: "other" }) })],
    ]);
    const all = mergedJobs([job({ id: 3 }), job({ id: 2, version: 8 })], live);
    expect(all.map(({ id, state }) => [id, state])).toEqual([
      [2, "PAUSED"],
      [5, "PROCESSING"],
      [3, "PROCESSING"],
    ]);
    expect(mergedJobs([], live, "edge").map(({ id }) => id)).toEqual([2]);
  });
});

describe("a chain against its prediction", () => {
  const prediction = (change: Partial<ChainPrediction> = {}): ChainPrediction => ({
    chain: "web",
    assumes: [],
    throughput_mpps: 5,
    low_mpps: 4.5,
    high_mpps: 5.5,
    bottleneck: "web.router",
    provenance: "predicted" as const,
    throughput_slo: null,
    latency_slo: null,
    nfs: [],
    ...change,
  });
  const sample = (delivered: number, offered: number) => ({
    chain: "web",
    offered_mpps: offered,
    delivered_mpps: delivered,
    drop_mpps: offered - delivered,
    filtered_mpps: 0,
    paused: false,
  });
  /** Predicted 5 [4.5, 5.5] by the plan that its host runs by. */
  const inForce = (measured: number, change: Partial<StandingPrediction> = {}): StandingPrediction => ({
    chain: "web",
    bottleneck: "web.router",
    predicted_mpps: 5,
    low_mpps: 4.5,
    high_mpps: 5.5,
    offered_mpps: 6,
    measured_mpps: measured,
    test: "informative",
    assumed: false,
    ...change,
  });
  const at = (measured: number, change: Partial<StandingPrediction> = {}) =>
    standingOf({ sample: sample(measured, 6), paused: false }, prediction(), inForce(measured, change));

  it("says what the maps say: of the newest ten seconds, in percent of predicted", () => {
    // 3.65 of 5: -27 %. The last second carried 3.4 and does not count; of what was measured it would be -37 %.
    const standing = standingOf({ sample: sample(3.4, 6), paused: false }, prediction(), inForce(3.65));
    expect(standing).toMatchObject({ kind: "tested", measured: 3.65, predicted: 5, inside: false });
    expect(standing.kind === "tested" && differenceText(standing.percent)).toBe("−27");
    expect(standing.kind === "tested" && standing.percent).toBe(differencePercent(inForce(3.65)));
    expect(at(5.2)).toMatchObject({ kind: "tested", inside: true });
    expect(at(4, { low_mpps: null, high_mpps: null })).toMatchObject({ inside: null });
    expect(at(2, { test: "offered_too_little", offered_mpps: 2 })).toEqual({
      kind: "not-tested",
      why: "not tested: it carries all of the 2.0 Mpps offered, and could carry more",
    });
  });

  it("is not judged while it is paused, without a sample, or without a prediction in force", () => {
    expect(standingOf({ sample: null, paused: false }, prediction(), inForce(4))).toEqual({ kind: "no-data" });
    expect(standingOf({ sample: sample(0, 1), paused: true }, prediction(), inForce(4))).toEqual({ kind: "no-data" });
    const running = { sample: sample(1, 2), paused: false };
    expect(standingOf(running, prediction(), undefined)).toEqual({ kind: "no-data" });
    expect(standingOf(running, prediction({ throughput_mpps: null, note: "shared cores" }), null)).toEqual({
      kind: "not-predicted",
      why: "shared cores",
    });
    expect(standingOf(running, prediction(), null)).toMatchObject({ kind: "not-predicted" });
  });

  it("is helped by a better place, a new profile, or less traffic, each with its reason", () => {
    // 0.2 of 10 Mpps by memory.
    const loses = victim("web.router", 0, [cause("neighbour", "mail.vpn", 0, 0.2)]);
    const blamed = (of: Victim) => ({ limit: null, nfId: of.nf_id, victim: of, disagreement: null });
    const remedies = (facts: Partial<Parameters<typeof remediesOf>[0]>) =>
      remediesOf({
        standing: at(4),
        sample: sample(4, 6),
        blame: blamed(loses),
        prediction: prediction(),
        trust: undefined,
        ...facts,
      }).map(({ kind }) => kind);
    expect(remedies({})).toEqual(["replace", "profile", "ask-less"]);
    // 1.5 % of what it could give alone: no move would be worth it.
    const little = victim("web.router", 0, [cause("neighbour", "mail.vpn", 0, 0.015)]);
    expect(remedies({ blame: blamed(little) })).toEqual(["profile", "ask-less"]);
    const carried = { standing: at(2, { test: "offered_too_little" }), sample: sample(2, 2) };
    expect(remedies(carried)).toEqual([]);
    expect(remedies({ ...carried, prediction: prediction({ provenance: "assumed" }) })).toEqual(["profile"]);
    expect(remedies({ ...carried, trust: { verdict: "distrusted", why: "1 of 6 inside" } })).toEqual(["profile"]);
  });

  it("has another model now for a reason that is named: another version, other NFs, or neither", () => {
    const use = (nf_type: string, version: string) =>
      ({ nf_type, host_model: "m", version, provenance: "predicted" }) as const;
    const placed = (id: string, host = "sim-2") => ({ nf_id: id, seat: { host } });
    const plan = (models: ReturnType<typeof use>[], ...after: ReturnType<typeof placed>[]) =>
      ({ after, evidence: { models } }) as unknown as PlanBody;
    const now: Interference = {
      host: "sim-2",
      provenance: "predicted",
      note: null,
      models: [use("nat", "fit-1"), use("nids", "fit-4")],
      victims: [victim("web.nids", 0, []), victim("dmz.nat", 0, [])],
    };
    const [same, both] = [use("nids", "fit-4"), [placed("web.nids"), placed("dmz.nat"), placed("far.nat", "sim-3")]];
    expect(sinceThen(plan([use("nids", "assumed-1")], ...both), now)).toBe(
      "by fit-4 of nids, where that plan had assumed-1",
    );
    expect(sinceThen(plan([same], placed("web.nids"), placed("old.nat"), placed("old.nids")), now)).toBe(
      "with 1 NF more beside it and 2 NFs fewer on sim-2 since that plan",
    );
    expect(sinceThen(plan([use("nids", "fit-3")], placed("web.nids")), now)).toBe(
      "by fit-4 of nids, where that plan had fit-3; with 1 NF more beside it on sim-2 since that plan",
    );
    expect(sinceThen(plan([same], ...both), now)).toBe("with NFs as they are placed on sim-2 now");
    expect(sinceThen(undefined, now)).toBe("with NFs as they are placed on sim-2 now");
  });

  it("is drawn on a scale with room on both sides, of at least a twentieth of the value", () => {
    // 4 to 6: 2 wide, 0.2 x 2 on either side.
    expect(rangeOf([4, 5, 6])).toEqual({ from: 3.6, to: 6.4 });
    // One value: 5 % of 10 is 0.5 wide; 10 ± 0.5 x 0.7.
    expect(rangeOf([10])).toEqual({ from: 9.65, to: 10.35 });
    expect(rangeOf([0, 0.1]).from).toBe(0);
  });
});
