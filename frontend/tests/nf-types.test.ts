/** NF types without a page: forms, command lines, standing, and what plots are made of. */
import { describe, expect, it } from "vitest";
import type { CurveModel, ModelVersion, Outcome, ProfilingPoint, Trust } from "@/api/types";
import { ownDefaults } from "@/nf-types/config";
import { companyText, pressureOn, roleOf, withDrop } from "@/nf-types/measured";
import { briefOf } from "@/nf-types/scores";
import { measurementsOf, notPlaced, overBubbles, overCompetitors, overPressure } from "@/nf-types/sensitivity-series";
import { hostModelsOf, standingOf } from "@/nf-types/standing";
import { checkType, draftOf, emptyType, makesVersion } from "@/nf-types/type-draft";
import { nfTypesCli } from "@/session/cli-nf-types";
import { bandText, byWeight, errorText, insideInterval, originOf } from "@/trust/words";
import { host } from "./fixtures";
import { modelVersion, nfType } from "./nf-type-fixtures";

const firewall = nfType("firewall", { synthetic_rules: 100, seed: 1, default_action: "allow" });
const edge = nfType("edge", { synthetic_rules: 5000, seed: 1, default_action: "allow" }, "firewall");

describe("the form of an NF type", () => {
  const good = { ...emptyType("firewall"), name: "edge-firewall", config: '{"synthetic_rules": 5000}' };

  it("asks for what is filled in, and leaves the rest to the console", () => {
    expect(checkType(good)).toEqual({
      asked: {
        name: "edge-firewall",
        implementation: "firewall",
        short_name: null,
        summary: null,
        config: { synthetic_rules: 5000 },
      },
      errors: [],
    });
  });

  it("says what is wrong where the console would say it", () => {
    const wrong = (part: Partial<typeof good>) => checkType({ ...good, ...part }).errors.map(({ field }) => field);
    expect(wrong({ name: "Edge Firewall" })).toEqual(["name"]);
    expect(wrong({ implementation: "" })).toEqual(["implementation"]);
    expect(wrong({ shortName: "far too long" })).toEqual(["short_name"]);
    expect(wrong({ summary: "x".repeat(201) })).toEqual(["summary"]);
    expect(wrong({ config: "[1]" })).toEqual(["config"]);
    expect(wrong({ config: "{" })).toEqual(["config"]);
  });

  it("starts a change from what differs from the program", () => {
    expect(ownDefaults(edge, firewall)).toEqual({ synthetic_rules: 5000 });
    expect(JSON.parse(draftOf(edge, firewall).config)).toEqual({ synthetic_rules: 5000 });
    expect(draftOf(firewall, firewall).config).toBe("");
  });

  it("knows that another configuration is another version, in whatever order it is written", () => {
    expect(makesVersion({ seed: 1, synthetic_rules: 5 }, { synthetic_rules: 5, seed: 1 })).toBe(false);
    expect(makesVersion({ seed: 2 }, { seed: 1 })).toBe(true);
    expect(makesVersion({}, { seed: 1 })).toBe(true);
  });
});

describe("command lines", () => {
  it("give settings as the command reads them: plain text, JSON, and back to the default", () => {
    const config = { synthetic_rules: 5000, action: "drop", rules: [{ dst: "10.0.0.0/8" }], name: "none", code: "7" };
    expect(nfTypesCli.registerNfType("edge", "firewall", config, { summary: "at the edge" })).toBe(
      "sextant nf-types register edge --implementation firewall --set synthetic_rules=5000 --set action=drop " +
        `--set 'rules=[{"dst":"10.0.0.0/8"}]' --set 'name="none"' --set 'code="7"' --summary 'at the edge'`,
    );
    expect(nfTypesCli.updateNfType("edge", { seed: 2 }, { synthetic_rules: 5000, seed: 1 })).toBe(
      "sextant nf-types update edge --set seed=2 --set synthetic_rules=none",
    );
  });

  it("keep a host model one word, whatever is in it", () => {
    expect(nfTypesCli.fitModels("Intel(R) Xeon's, 1 x 2")).toBe("sextant models fit 'Intel(R) Xeon'\\''s, 1 x 2'");
  });
});

describe("where a type stands", () => {
  const model = (id: number, part: Partial<ModelVersion>) => modelVersion({ id, fit_id: id, ...part });

  it("uses the promoted model, and names a candidate only where it is newer", () => {
    const promoted = model(5, { state: "promoted" });
    const later = model(7, { state: "candidate" });
    const stands = (models: ModelVersion[]) => standingOf(models, "edge", "xeon");
    expect(stands([promoted, model(3, { state: "candidate" })])).toEqual({ promoted, candidate: null });
    expect(stands([promoted, model(6, { state: "candidate" }), later])).toEqual({ promoted, candidate: later });
    expect(stands([later])).toEqual({ promoted: null, candidate: later });
    expect(stands([model(8, { state: "candidate", host_model: "epyc" })])).toEqual({ promoted: null, candidate: null });
  });

  it("knows host models by their hosts, and those that only models are left of", () => {
    const hosts = [host("b"), host("a"), { ...host("c"), inventory: null }];
    const name = hosts[0]?.inventory?.host_model ?? "";
    expect(hostModelsOf(hosts, [model(1, { host_model: "gone" })])).toEqual([
      { name, hosts: ["a", "b"], provenance: "measured" },
      { name: "gone", hosts: [], provenance: "simulated" },
    ]);
  });
});

describe("scores in a line", () => {
  it("are those of held-out mixes, beside the best null model", () => {
    const score = (predictor: string, points: number, split: "mix" | "nf" = "mix") => ({
      ...SCORE,
      predictor,
      split,
      error_points: points,
    });
    const scores = [
      score("octans", 0.61),
      { ...score("curves", 0.58), coverage_percent: null },
      score("zero-drop", 6.2),
      score("linear-references", 2.2),
      score("octans", 9, "nf"),
    ];
    expect(briefOf({ scores })).toEqual({ octans: "0.61", curves: "0.58", nulls: "2.2", coverage: "96", width: "3.1" });
  });
});

const SCORE = {
  nf_type: "edge",
  samples: 45,
  error_p95_points: null,
  relative_percent: null,
  throughput_percent: null,
  coverage_percent: 96,
  median_width_points: 3.1,
};

type Setting = ProfilingPoint["setting"];
const at = (nf_type: string, node: number) => ({ nf_type, node });
const setting = (part: Partial<Setting>): Setting => ({
  purpose: "local",
  ingress_node: 0,
  chain: [at("edge", 0)],
  downstream: [],
  others: [],
  others_a_chain: 1,
  bubble_kib: null,
  ...part,
});
const point = (
  id: number,
  drop: number | null,
  where: Partial<Setting>,
  part: Partial<ProfilingPoint> = {},
): ProfilingPoint => ({
  id,
  job_id: 1,
  number: id,
  setting: setting(where),
  state: "done",
  tries: 1,
  progress: null,
  mpps: null,
  drop_percent: drop === null ? null : { value: drop, standard_error: 0.2, half_width: 0.5, count: 4 },
  samples: 4,
  void_tries: 0,
  reused: false,
  record_id: id,
  note: null,
  error: null,
  started_at: null,
  finished_at: null,
  ...part,
});

describe("measured points", () => {
  it("have the role that caches care for: only the NF right in front counts", () => {
    expect(roleOf(setting({}))).toBe("local");
    expect(roleOf(setting({ chain: [at("fwd", 0), at("edge", 0)] }))).toBe("local");
    expect(roleOf(setting({ chain: [at("fwd", 1), at("edge", 0)] }))).toBe("crossing");
    expect(roleOf(setting({ chain: [at("edge", 1)] }))).toBe("head");
    expect(roleOf(setting({ chain: [at("fwd", 0), at("edge", 1)] }))).toBe("head");
    expect(roleOf(setting({ chain: [at("fwd", 1), at("edge", 1)] }))).toBe("behind");
  });

  it("are under the sum of pressures: near of those on its node, far of the others", () => {
    const where = setting({ chain: [at("nids", 1), at("edge", 0)], others: [at("nids", 0), at("router", 0)] });
    // nids far 0.5 + nids near 2 + router near 1 = 3.5; where only half of what is far counts, 3.25
    expect(pressureOn(where, CURVES, 1)).toBe(3.5);
    expect(pressureOn(where, CURVES, 0.5)).toBe(3.25);
    expect(pressureOn(setting({ others: [at("stranger", 0)] }), CURVES, 1)).toBeNull();
    expect(pressureOn(setting({ others: [at("bubble", 0)], bubble_kib: 256 }), CURVES, 1)).toBeNull();
    expect(pressureOn(setting({}), CURVES, 1)).toBe(0);
  });

  it("count once, whichever job took them over, and only where a drop is known", () => {
    const taken = point(8, 3, {}, { record_id: 1, reused: true, job_id: 2 });
    const found = withDrop([taken, point(1, 3, {}), point(2, null, {}), point(3, 4, {}, { state: "failed" })]);
    expect(found.map(({ id }) => id)).toEqual([1]);
  });

  it("are described in words", () => {
    expect(companyText(setting({}))).toBe("alone");
    const where = setting({
      chain: [at("fwd", 1), at("edge", 0)],
      others: [at("nids", 1), at("nids", 0), at("nids", 0)],
    });
    expect(companyText(where)).toBe("beside 2 nids on node 0 and 1 nids on node 1, behind fwd");
  });
});

const curve = (nf_type: string, near: number, far: number, curves: CurveModel["curves"] = []): CurveModel => ({
  nf_type,
  host_model: "xeon",
  version: "fit-1",
  near,
  far,
  ideal_mpps: null,
  rate_exponent: 0,
  curves,
  handing: [],
});
const CURVES = new Map([
  ["nids", curve("nids", 2, 0.5)],
  ["router", curve("router", 1, 0.25)],
  [
    "edge",
    curve("edge", 1, 1, [
      { role: "local", pressures: [0, 2], drops: [0, 0.1], far_share: 1, half_width: 0.02, samples: 5 },
    ]),
  ],
]);

describe("pressures of slower NFs", () => {
  const rated = (name: string, local: number): [string, CurveModel] => [
    name,
    { ...curve(name, 2, 1), ideal_mpps: { local, remote: local / 2 }, rate_exponent: 0.5 },
  ];
  const models = new Map([rated("edge", 4), rated("router", 16), rated("nids", 4)]);

  it("are by a power of their rate: two fed 4 of 16 Mpps press 2 x sqrt(1/4) each", () => {
    const others = [at("router", 0), at("router", 0)];
    expect(pressureOn(setting({ others, rate_mpps: 4 }), models, 1)).toBeCloseTo(2);
    expect(pressureOn(setting({ others }), models, 1)).toBeCloseTo(4);
  });

  it("go at the slowest of their chain: before a nids at 4 a router presses 2 x sqrt(1/4)", () => {
    const others = [at("router", 0), at("nids", 0)];
    expect(pressureOn(setting({ others, others_a_chain: 2 }), models, 1)).toBeCloseTo(1 + 2);
  });

  it("go at its own rate in its own chain: 4 of 8 Mpps on node 1, of which half counts here", () => {
    expect(pressureOn(setting({ downstream: [at("router", 1)] }), models, 0.5)).toBeCloseTo(0.5 * Math.SQRT1_2);
  });
});

describe("the sensitivity plot", () => {
  const points = [
    point(1, 2, { others: [at("nids", 0)] }),
    point(2, 5, { others: [at("nids", 0), at("nids", 0)] }),
    point(3, 1, { others: [at("router", 0)] }),
    point(4, 9, { others: [at("stranger", 0)] }),
    point(5, 7, { purpose: "sensitivity", others: [at("bubble", 0)], bubble_kib: 512 }),
  ];
  const held = { point_id: 2, measured_drop: 0.05, standard_error: 0.002, predicted_drop: 0.06, half_width: 0.01 };
  const measured = measurementsOf(points, "simulated", [held]);

  it("has a line for each type of competitor, and beside a point what was predicted of it", () => {
    const series = overCompetitors(measured, "local");
    expect(series.map(({ name, look, points: drawn }) => [name, look, drawn.map(({ x, y }) => [x, y])])).toEqual([
      ["predicted", "predicted", [[2.12, 6]]],
      [
        "nids",
        "simulated",
        [
          [1, 2],
          [2, 5],
        ],
      ],
      ["router", "simulated", [[1, 1]]],
      ["stranger", "simulated", [[1, 9]]],
    ]);
    expect(series[0]?.points[0]?.half).toBeCloseTo(1);
  });

  it("has bubbles by their size in MiB", () => {
    expect(overBubbles(measured)).toMatchObject([{ name: "1 bubble", points: [{ x: 0.5, y: 7, half: 0.5 }] }]);
  });

  it("has the fitted curve in points as far as there are points, and says which have no place", () => {
    const [band, drawn] = overPressure(measured, CURVES, "edge", "local");
    // Knots at 0 and 2 (10 points); the heaviest mix presses with 2 x 2 = 4, as far as the curve is drawn.
    expect(band?.points.map(({ x, y, half }) => [x, y, half])).toEqual([
      [0, 0, 2],
      [2, 10, 2],
      [4, 10, 2],
    ]);
    expect(drawn?.points.map(({ x, y }) => [x, y])).toEqual([
      [2, 2],
      [4, 5],
      [1, 1],
    ]);
    expect(notPlaced(measured, CURVES, "local")).toEqual({ points: 1, of: ["stranger"] });
  });
});

describe("trust in words", () => {
  const outcome = (part: Partial<Outcome>): Outcome => ({ ...OUTCOME, ...part });

  it("takes the difference of what was predicted, as every page does", () => {
    // (4.38 - 6) / 6 = -27 %; of what was measured it would be -37 %.
    expect(errorText(outcome({ measured_mpps: 4.38, predicted_mpps: 6 }))).toBe("−27 %");
    expect(errorText(outcome({ measured_mpps: 0, predicted_mpps: 5 }))).toBe("−100 %");
    expect(errorText(outcome({ measured_mpps: 5, predicted_mpps: 0.1 }))).toBe("+>999 %");
    expect(errorText(outcome({ measured_mpps: 0.5, predicted_mpps: 0 }))).toBe("+0.50 Mpps");
  });

  it("calls what a shipped model gives assumed, and what a fit gives predicted", () => {
    expect([originOf("assumed-1"), originOf("fit-3")]).toEqual(["assumed", "predicted"]);
  });

  it("says whether a figure lies inside its interval, and nothing without one", () => {
    expect(insideInterval(outcome({ measured_mpps: 4, low_mpps: 4, high_mpps: 5 }))).toBe(true);
    expect(insideInterval(outcome({ measured_mpps: 3.9, low_mpps: 4, high_mpps: 5 }))).toBe(false);
    expect(insideInterval(outcome({ low_mpps: null, high_mpps: null }))).toBeNull();
  });

  it("gives the band and which way predictions err", () => {
    const trust = { bias_percent: -2.14, band_percent: 5 } as Trust;
    expect(bandText(trust)).toBe("trusted up to an error of 5 %; chains carry 2.1 % less than predicted on average");
    expect(bandText({ ...trust, bias_percent: null })).toBe("trusted up to an error of 5 %");
  });
});

const OUTCOME: Outcome = {
  id: 1,
  plan_id: 1,
  chain: "web",
  host: "edge-1",
  host_model: "xeon",
  nf_id: "web.edge",
  nf_type: "edge",
  predictor: "octans",
  version: "fit-1",
  predicted_mpps: 5,
  low_mpps: 4,
  high_mpps: 6,
  interval_source: "held-out",
  measured_mpps: 5,
  offered_mpps: 7,
  test: "informative",
  limited_by: null,
  judged: [],
  seconds: 10,
  provenance: "measured",
  at: "2026-11-20T10:00:00Z",
};

describe("predictors that are trusted differently", () => {
  it("begin with the one that plans show, whichever others are tested beside it", () => {
    const names = ["curves", "gaussian-process", "time-sharing", "octans"];
    const found = byWeight(names.map((predictor) => ({ predictor }) as Trust)).map(({ predictor }) => predictor);
    expect(found).toEqual(["octans", "time-sharing", "curves", "gaussian-process"]);
  });
});
