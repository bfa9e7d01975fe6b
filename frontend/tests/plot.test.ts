import { describe, expect, it } from "vitest";
import { tick } from "@/lib/format";
import { bandPath, scaleOf, stepOf } from "@/ui/plot-geometry";

describe("the scale of a plot", () => {
  it("has round ends around all values, always with 0", () => {
    // 0 to 11 in at most 5 steps: 11 / 5 = 2.2, the next round step is 5.
    expect(scaleOf([3, 11])).toEqual({ low: 0, high: 15, ticks: [0, 5, 10, 15] });
    // -1.2 to 3 spans 4.2; 4.2 / 5 = 0.84, the next round step is 1.
    expect(scaleOf([-1.2, 3])).toEqual({ low: -2, high: 3, ticks: [-2, -1, 0, 1, 2, 3] });
    expect(scaleOf([])).toMatchObject({ low: 0, high: 1 });
  });

  it("counts things in whole numbers", () => {
    expect(scaleOf([1, 2], 5, true).ticks).toEqual([0, 1, 2]);
    expect(scaleOf([1, 13], 6, true).ticks).toEqual([0, 5, 10, 15]);
  });

  it("steps by 1, 2 or 5 times a power of ten", () => {
    expect([0.011, 0.3, 1, 4, 6].map(stepOf)).toEqual([0.02, 0.5, 1, 5, 10]);
  });

  it("writes as few digits as a number needs", () => {
    expect([0, 15, 0.5, -10, 2.55, 12_500].map(tick)).toEqual(["0", "15", "0.5", "−10", "2.55", "12\u2009500"]);
  });
});

describe("a band", () => {
  it("goes along its upper edge and back along its lower one", () => {
    const knots = [
      { x: 0, y: 1, half: 0.5, title: "" },
      { x: 2, y: 3, half: 0.5, title: "" },
    ];
    expect(
      bandPath(
        knots,
        (x) => x,
        (y) => y,
      ),
    ).toBe("M0.0 1.5L2.0 3.5L2.0 2.5L0.0 0.5Z");
    expect(
      bandPath(
        knots.slice(1),
        (x) => x,
        (y) => y,
      ),
    ).toBe("");
  });
});
