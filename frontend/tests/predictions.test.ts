import { describe, expect, it } from "vitest";
import type { FleetPredictions, StandingPrediction } from "@/api/types";
import { describeUnit } from "@/fleet/describe";
import { LAYERS, layerOf } from "@/fleet/layers";
import { type HostModel, modelOf, type Unit } from "@/fleet/model";
import { keyOf } from "@/fleet/paint";
import { hostFigure, whyNotCompared, whyUnpredicted } from "@/fleet/prediction-words";
import { differencePercent, forecastsOf, inForce, isInside, sumOf } from "@/fleet/predictions";
import { differenceText } from "@/lib/difference";
import { AT, host, nf, nfSample } from "./fixtures";

const difference = layerOf("difference");
const predicted = layerOf("predicted");
const NONE: ReadonlySet<string> = new Set();

/** Predicted 4 [3.8, 4.2], carries 3.5 of 6: informative, 12.5 % below. */
function standing(chain: string, change: Partial<StandingPrediction> = {}): StandingPrediction {
  const figures = { predicted_mpps: 4, low_mpps: 3.8, high_mpps: 4.2, offered_mpps: 6, measured_mpps: 3.5 };
  return { chain, bottleneck: `${chain}.x`, ...figures, test: "informative", assumed: false, ...change };
}

const TOO_LITTLE = { offered_mpps: 2, measured_mpps: 2, test: "offered_too_little" } as const;

function answer(...chains: StandingPrediction[]): FleetPredictions {
  return { window_s: 10, hosts: [{ host: "h", plan_id: 7, generation: 1, predictor: "octans", chains }] };
}

const nfs = new Map(
  ["a.x", "b.x", "c.x"].map((id, core) => [id, nf(id, "h", core, { sample: nfSample(id, { cpu_percent: 50 }) })]),
);

function model(
  layer = difference,
  level: "labelled" | "mass" = "labelled",
  ...chains: StandingPrediction[]
): HostModel {
  const view = host("h", 1, 4);
  return modelOf(view, nfs, layer, NONE, level, inForce(view, forecastsOf(answer(...chains))));
}

const without = (chain: string): StandingPrediction => ({
  chain,
  bottleneck: `${chain}.x`,
  predicted_mpps: 4,
  assumed: false,
});

describe("a prediction in force", () => {
  it("is compared in percent of predicted, where the chain tests it", () => {
    expect(differencePercent(standing("a"))).toBeCloseTo(-12.5); // (3.5 - 4) / 4
    expect(differencePercent(standing("a", TOO_LITTLE))).toBeNull();
    expect(differencePercent(without("a"))).toBeNull();
    expect(differencePercent(standing("a", { predicted_mpps: 0 }))).toBeNull();
    expect(isInside(standing("a"))).toBe(false); // 3.5 < 3.8
    expect(isInside(standing("a", { measured_mpps: 4.2 }))).toBe(true);
    expect(isInside(standing("a", { low_mpps: null, high_mpps: null }))).toBeNull();
  });

  it("ends with another order, which the stream reports first", () => {
    const forecasts = forecastsOf(answer(standing("a")));
    expect(inForce(host("h"), forecasts)?.planId).toBe(7);
    expect(inForce(host("h", 1, 2, 1, { desired_generation: 2 }), forecasts)).toBeNull();
    expect(inForce(host("other"), forecasts)).toBeNull();
    expect(inForce(host("h"), undefined)).toBeUndefined();
  });

  it("is the same object for the same answer, so that models are kept", () => {
    const same = answer(standing("a"));
    expect(forecastsOf(same).get("h")).toBe(forecastsOf({ ...same }).get("h"));
  });

  it("sums up by host: the difference is of informative chains alone", () => {
    const forecast = forecastsOf(
      answer(standing("a"), standing("b", { measured_mpps: 4.1 }), standing("c", TOO_LITTLE)),
    );
    const sum = sumOf(forecast.get("h"));
    expect(sum).toMatchObject({ chains: 3, predicted: 12, informative: 2 });
    expect(sum?.low).toBeCloseTo(11.4);
    expect(sum?.high).toBeCloseTo(12.6);
    expect(sum?.differencePercent).toBeCloseTo(-5); // 7.6 of 8
    expect(sumOf(forecastsOf(answer(standing("a"), without("b"))).get("h"))).toMatchObject({ low: null, high: null });
    expect(sumOf(null)).toBeNull();
  });
});

describe("layers of predictions", () => {
  it("take the chain's figure for each of its NFs; what is not informative has no step", () => {
    const [a, b, c] = model(difference, "labelled", standing("a"), standing("b", TOO_LITTLE)).units;
    expect(a?.value).toBeCloseTo(-12.5);
    expect(a?.step).toBe(1); // (-12.5 + 20) x 9 / 40 = 1.69
    expect([b?.step, c?.step]).toEqual([-1, -1]);
    expect(b?.standing?.chain).toBe("b");
    const [first, , third] = model(predicted, "labelled", standing("a")).units;
    expect([first?.value, third?.value]).toEqual([4, null]);
  });

  it("paint a difference on the NF that limits its chain, and on no other", () => {
    // The firewall passes all, the nids behind it drops a third: the plan expected the firewall to limit the chain.
    const passes = nf("a.fw", "h", 0, { sample: nfSample("a.fw", { rx_mpps: 6.6 }) });
    const drops = nf("a.nids", "h", 1, { position: 1, sample: nfSample("a.nids", { rx_mpps: 4.5, drop_mpps: 2.1 }) });
    const forecasts = forecastsOf(answer(standing("a", { bottleneck: "a.fw" })));
    const painted = (...own: (typeof passes)[]) => {
      const view = host("h", 1, 4);
      const by = new Map(own.map((each) => [each.nf_id, each]));
      return modelOf(view, by, difference, NONE, "labelled", inForce(view, forecasts));
    };
    const measured = painted(passes, drops);
    expect(measured.units[0]?.value).toBeNull();
    expect(measured.units[1]?.value).toBeCloseTo(-12.5);
    const words = describeUnit(measured.units[0] as Unit, measured, Date.parse(AT));
    expect(words).toContain("not its difference: nids limits a");
    // Nothing is measured to limit it: the NF whose model predicted it.
    const even = { ...drops, sample: nfSample("a.nids", { rx_mpps: 6.6 }) };
    expect(painted(passes, even).units.map(({ value }) => value !== null)).toEqual([true, false, false, false]);
  });

  it("sort a gauge by what is furthest below", () => {
    const units = model(
      difference,
      "mass",
      standing("a", { measured_mpps: 4.4 }),
      standing("b", TOO_LITTLE),
      standing("c"),
    ).units;
    expect(units.map(({ core }) => core.id)).toEqual([2, 0, 1, 3]); // -12.5, +10, not informative, free
  });

  it("are painted anew when the ramp changes under the same step", () => {
    const unit = model(difference, "labelled", standing("a", { measured_mpps: 4 })).units[0];
    if (!unit) throw new Error("core 0 is in use");
    for (const level of ["compact", "labelled"] as const) {
      expect(keyOf(unit, "up", difference, level)).not.toBe(keyOf(unit, "up", layerOf("cpu"), level));
    }
  });

  it("have keys of their own, none twice", () => {
    const keys = LAYERS.flatMap((layer) => layer.keys);
    expect(new Set(keys).size).toBe(keys.length);
    expect(LAYERS.filter(({ keys: own }) => own.includes("d")).map(({ key }) => key)).toEqual(["difference"]);
  });
});

describe("what is said of predictions", () => {
  it("writes differences with their sign, and none at 0", () => {
    expect([-12.5, 0.44, 0, 0.01, null].map(differenceText)).toEqual(["−13", "+0.4", "0", "0", "–"]);
  });

  it("says both figures, their difference and the host's sum", () => {
    const found = model(difference, "labelled", standing("a"), standing("b", TOO_LITTLE));
    const at = Date.parse(AT) + 60_000;
    const lines = found.units.slice(0, 3).map((unit) => describeUnit(unit, found, at).slice(4, -1));
    expect(lines[0]).toEqual([
      "○ a: predicted 4.0 [3.8, 4.2] Mpps by Octans, plan 7",
      "● carries 3.5, −13 % of predicted, outside its interval",
      "it was predicted to limit a: the difference is shown here",
      "h: ○ 8.0 [7.6, 8.4] Mpps of 2 chains predicted, −13 % of the 1 tested",
    ]);
    expect(lines[1]?.[1]).toBe("● not tested: it carries all of the 2.0 Mpps offered, and could carry more");
    expect(lines[2]).toEqual(["○ no prediction for the present state of c"]);
  });

  it("marks what rests on assumed models", () => {
    const found = model(difference, "labelled", standing("a", { assumed: true }), standing("b"));
    const [unit] = found.units;
    const lines = unit ? describeUnit(unit, found, Date.parse(AT)) : [];
    expect(lines[4]).toBe("□ a: predicted 4.0 [3.8, 4.2] Mpps by Octans with assumed models, plan 7");
    expect(lines[7]).toContain("h: □ 8.0");
    expect(sumOf(found.forecast)?.origin).toBe("assumed");
  });

  it("says nothing where nobody asked", () => {
    const plain = modelOf(host("h", 1, 4), nfs, layerOf("cpu"), NONE, "labelled");
    const [unit] = plain.units;
    expect(unit && describeUnit(unit, plain, Date.parse(AT)).join()).not.toContain("predicted");
  });

  it("says why two figures are not compared", () => {
    expect(whyNotCompared(standing("a"))).toBeNull();
    expect(whyNotCompared(standing("a", { measured_mpps: 1.5, test: "port_full" }))).toContain("port is full at 1.5");
    expect(whyNotCompared(without("a"))).toContain("ten seconds of steady load");
  });

  it("stands beside the host's name", () => {
    const found = model(difference, "labelled", standing("a"));
    expect(hostFigure(found, difference, false)).toBe("−13 %");
    expect(hostFigure(found, predicted, false)).toBe("4.0 [3.8, 4.2] Mpps");
    expect(hostFigure(found, predicted, true)).toBe("4.0");
    expect(hostFigure(model(difference, "labelled"), difference, false)).toBe("");
  });

  it("explains a layer that shows nothing", () => {
    const none = (...chains: StandingPrediction[]) =>
      whyUnpredicted(difference, [model(difference, "labelled", ...chains)]);
    expect(none(standing("a"))).toBeNull();
    expect(none()).toContain("no predictions here");
    expect(none(standing("a", TOO_LITTLE), without("b"))).toBe(
      "2 chains predicted, none tested: 1 offered less than they could carry, 1 not yet measured for ten seconds of steady load",
    );
    expect(whyUnpredicted(difference, [modelOf(host("h"), new Map(), difference, NONE, "labelled", null)])).toContain(
      "no NF runs",
    );
    expect(whyUnpredicted(difference, [modelOf(host("h", 1, 4), nfs, difference, NONE, "labelled")])).toContain(
      "loading predictions",
    );
    expect(whyUnpredicted(layerOf("cpu"), [model()])).toBeNull();
  });
});
