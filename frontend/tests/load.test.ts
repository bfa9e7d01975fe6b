/** The layers of load: utilisation (the default), headroom, CPU; unknown is never 0. */

import { describe, expect, it } from "vitest";
import type { NfView } from "@/api/types";
import { describeUnit } from "@/fleet/describe";
import { cellText, DEFAULT_LAYER, LAYERS, layerFrom, layerOf } from "@/fleet/layers";
import { coreUtilisation, headroomText, loadText, secondFigure, utilisationText, whyNoLoad } from "@/fleet/load-words";
import { modelOf } from "@/fleet/model";
import { keyOf } from "@/fleet/paint";
import { utilisedText } from "@/fleet/utilisation";
import { fleetSearch } from "@/pages/fleet";
import { hostSearch } from "@/pages/searches";
import { AT, host, nf, nfSample } from "./fixtures";

const NONE: ReadonlySet<string> = new Set();
const utilisation = layerOf("utilisation");
const headroom = layerOf("headroom");
const cpu = layerOf("cpu");

/** Polls: its CPU is busy whatever it carries. */
const polls = (change: Partial<NonNullable<NfView["sample"]>> = {}) =>
  nf("web.router", "h", 0, { sample: nfSample("web.router", { cpu_percent: 100, rx_mpps: 1, tx_mpps: 1, ...change }) });

const modelWith = (layer = utilisation, ...nfs: NfView[]) =>
  modelOf(host("h"), new Map(nfs.map((each) => [each.nf_id, each])), layer, NONE, "labelled");

describe("layers of load", () => {
  it("shows utilisation unless another is asked for", () => {
    expect(DEFAULT_LAYER).toBe("utilisation");
    expect(LAYERS[0]?.key).toBe("utilisation");
    for (const search of [fleetSearch, hostSearch]) {
      expect(search({ layer: "utilisation" })).toEqual({});
      expect(search({ layer: "headroom" })).toEqual({ layer: "headroom" });
      expect(search({ layer: "nonsense" })).toEqual({});
    }
  });

  it("writes what is left of a full NF as nothing: a cell has room for four digits", () => {
    expect([0, 0.0004, 0.012, 24.31, null].map(headroom.text)).toEqual(["0", "0", "0.012", "24.3", "–"]);
  });

  it("still opens links that name the layer of CPU as it was called", () => {
    expect(layerFrom("load")).toBe("cpu");
    expect(fleetSearch({ layer: "load" })).toEqual({ layer: "cpu" });
  });

  it("has a key of its own for every layer", () => {
    const keys = LAYERS.flatMap((each) => each.keys);
    expect(new Set(keys).size).toBe(keys.length);
    expect([utilisation, headroom, cpu].map((layer) => layer.keys)).toEqual([
      ["1", "u"],
      ["0", "h"],
      ["9", "c"],
    ]);
  });

  it("distinguishes NFs that poll: one carries a little, one all it can", () => {
    const little = polls({ utilisation_percent: 8, utilisation_basis: "busy-time", headroom_mpps: 11.5 });
    const full = polls({ utilisation_percent: 99, utilisation_basis: "busy-time", headroom_mpps: 0 });
    const steps = (layer: typeof cpu) => [little, full].map((each) => modelWith(layer, each).units[0]?.step);
    expect(steps(cpu)).toEqual([8, 8]);
    expect(steps(utilisation)).toEqual([0, 8]);
    expect(steps(headroom)).toEqual([7, 0]);
  });

  it("draws what nobody reports as not reported, and says why", () => {
    const model = modelWith(utilisation, polls());
    expect([model.units[0]?.value, model.units[0]?.step]).toEqual([null, -1]);
    expect(whyNoLoad(utilisation, [model])).toContain("nothing counts the time");
    expect(whyNoLoad(cpu, [modelWith(cpu, polls())])).toBeNull();
    expect(whyNoLoad(utilisation, [modelWith(utilisation)])).toBeNull();
    const idle = modelWith(headroom, polls({ utilisation_percent: 0.1, utilisation_basis: "busy-time" }));
    expect(whyNoLoad(headroom, [idle])).toBe("every NF shown carries too little traffic to measure it");
  });

  it("says both in words, with what they rest on and the mark of their origin", () => {
    const sample = nfSample("web.router", {
      rx_mpps: 1,
      utilisation_percent: 25,
      utilisation_basis: "busy-time",
      headroom_mpps: 3,
    });
    expect([utilisationText(sample), headroomText(sample)]).toEqual(["25 %", "3.0 Mpps, 75 % of what it could carry"]);
    expect(utilisationText({ ...sample, utilisation_basis: "cpu-time" })).toBe(
      "at most 25 % by CPU time, wake-ups included",
    );
    expect(utilisationText({ ...sample, utilisation_basis: "full-ring" })).toBe("25 %, its ring overflows");
    const unreported = nfSample("web.router", {});
    expect([utilisationText(unreported), headroomText(unreported)]).toEqual(["–", "–"]);
    const model = modelWith(utilisation, { ...polls(), sample });
    const [unit] = model.units;
    expect(unit && describeUnit(unit, model, Date.parse(AT))).toContain(
      "● utilisation 25 % · room for 3.0 Mpps, 75 % of what it could carry",
    );
  });

  it("gives the cell of throughput its utilisation as the second figure, and paints it anew with it", () => {
    const throughput = layerOf("throughput");
    const keys = [10, 90].map((utilisation_percent) => {
      const unit = modelWith(throughput, polls({ utilisation_percent })).units[0];
      if (!unit) throw new Error("no unit");
      expect(secondFigure(throughput, unit.nf?.sample)).toBe(`${utilisation_percent} %`);
      return keyOf(unit, "up", throughput, "labelled");
    });
    expect(keys[0]).not.toBe(keys[1]);
    expect(secondFigure(utilisation, nfSample("web.router", { tx_mpps: 0.61 }))).toBe("0.61");
  });

  it("adds up the NFs of a shared core, and shows nothing where one of them reports nothing", () => {
    const on = (name: string, slot: number, percent: number | null) =>
      nf(name, "h", 0, {
        seat: { host: "h", node: 0, core: 0, slot },
        sample: nfSample(name, { utilisation_percent: percent }),
      });
    const units = (...nfs: NfView[]) =>
      modelOf(host("h", 1, 2, 2), new Map(nfs.map((each) => [each.nf_id, each])), utilisation, NONE, "labelled").units;
    expect(coreUtilisation(units(on("a.x", 0, 20), on("a.y", 1, 30)), 0)).toEqual({ value: 50, sign: "" });
    expect(coreUtilisation(units(on("a.x", 0, 20), on("a.y", 1, null)), 0)).toBeNull();
  });

  it("shows of an NF that polls what it is at least, as a bound wherever a figure would stand", () => {
    const sample = nfSample("web.router", { utilisation_percent: null, utilisation_low_percent: 35.6 });
    expect(utilisedText(sample)).toBe("≥36");
    expect(loadText(sample)).toBe("utilisation at least 36 % over half a minute · headroom not reported");
    const model = modelWith(utilisation, { ...polls(), sample });
    const [unit] = model.units;
    if (!unit?.nf) throw new Error("no unit");
    expect([unit.value, cellText(utilisation, unit.nf, unit.value)]).toEqual([35.6, "≥36"]);
    expect(keyOf(unit, "up", utilisation, "labelled")).toContain("|≥36|");
    expect(whyNoLoad(utilisation, [model])).toBeNull();
    expect(secondFigure(layerOf("throughput"), sample)).toBe("≥36 %");
  });

  it("shows CPU time as the most that packets can have taken", () => {
    const sleeps = { utilisation_percent: 25, utilisation_basis: "cpu-time" } as const;
    expect(utilisedText(nfSample("web.router", sleeps))).toBe("≤25");
    expect(utilisedText(nfSample("web.router", { ...sleeps, utilisation_basis: "busy-time" }))).toBe("25");
    expect(utilisedText(null)).toBe("–");
  });

  it("adds bounds of one kind up, and shows nothing where what is least and what is most meet", () => {
    const on = (name: string, slot: number, load: Parameters<typeof nfSample>[1]) =>
      nf(name, "h", 0, { seat: { host: "h", node: 0, core: 0, slot }, sample: nfSample(name, load) });
    const core = (...nfs: NfView[]) =>
      coreUtilisation(
        modelOf(host("h", 1, 2, 2), new Map(nfs.map((each) => [each.nf_id, each])), utilisation, NONE, "labelled")
          .units,
        0,
      );
    const least = on("a.x", 0, { utilisation_percent: null, utilisation_low_percent: 35 });
    const figure = on("a.y", 1, { utilisation_percent: 20, utilisation_basis: "full-ring" });
    const most = on("a.y", 1, { utilisation_percent: 20, utilisation_basis: "cpu-time" });
    expect(core(least, figure)).toEqual({ value: 55, sign: "≥" });
    expect(core(least, most)).toBeNull();
  });
});
