import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { layerOf, lossPercent } from "@/fleet/layers";
import { contrast, divergingStep, ON_DARK, ON_LIGHT, sequentialStep, textOn } from "@/lib/ramp";

const css = readFileSync("src/styles/tokens.css", "utf8");
const themes = css.split("[data-theme");
const ramp = (text: string, name = "seq") =>
  [...text.matchAll(new RegExp(`--${name}-\\d: (#[0-9a-f]{6})`, "g"))].map((match) => match[1] ?? "");

describe("sequential ramp", () => {
  it("takes the step of its ninth, and the end step beyond the end", () => {
    expect(sequentialStep(0, 100)).toBe(0);
    expect(sequentialStep(11.2, 100)).toBe(1); // 11.2 x 9 / 100 = 1.008
    expect(sequentialStep(55, 100)).toBe(4); // 4.95
    expect(sequentialStep(100, 100)).toBe(8);
    expect(sequentialStep(140, 100)).toBe(8);
    expect(sequentialStep(-3, 100)).toBe(0);
  });

  it.each([
    ["dark", themes[0] ?? "", 3],
    ["light", themes[1] ?? "", 4],
  ])("every step of the %s ramp carries text at 4.5 to 1", (name, text, last) => {
    const steps = ramp(text);
    expect(steps).toHaveLength(9);
    for (const step of steps) expect(contrast(step, textOn(step))).toBeGreaterThanOrEqual(4.5);
    const white = steps.map((step) => textOn(step) === ON_DARK);
    // White on 0-3 in dark, on 5-8 in light.
    expect(white).toEqual(steps.map((_, step) => (name === "dark" ? step <= last : step > last)));
    expect(textOn("#ffffff")).toBe(ON_LIGHT);
  });
});

describe("diverging ramp", () => {
  it("has its middle step around 0, and the same number on either side", () => {
    // Nine steps over -20 to 20 are 4.44 wide: the middle one reaches from -2.22 to 2.22.
    expect([-40, -20, -2.3, -2.2, 0, 2.2, 2.3, 20, 40].map((value) => divergingStep(value, 20))).toEqual([
      0, 0, 3, 4, 4, 4, 5, 8, 8,
    ]);
  });

  it.each([
    ["dark", themes[0] ?? "", [2, 3, 4, 5, 6]],
    ["light", themes[1] ?? "", [0, 8]],
  ])("every step of the %s ramp carries text at 4.5 to 1", (_, text, white) => {
    const steps = ramp(text, "div");
    expect(steps).toHaveLength(9);
    for (const step of steps) expect(contrast(step, textOn(step))).toBeGreaterThanOrEqual(4.5);
    expect(steps.flatMap((step, index) => (textOn(step) === ON_DARK ? [index] : []))).toEqual(white);
  });
});

describe("layers", () => {
  it("drops are a share of what came to the NF", () => {
    expect(lossPercent({ rx_mpps: 3, drop_mpps: 1 })).toBe(25); // 1 of 3 + 1
    expect(lossPercent({ rx_mpps: 0, drop_mpps: 0 })).toBe(0);
  });

  it("has fixed scales", () => {
    expect([layerOf("cpu").max, layerOf("throughput").max, layerOf("drops").max]).toEqual([100, 14, 5]);
  });
});
