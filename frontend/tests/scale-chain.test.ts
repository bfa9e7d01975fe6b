/** In how many lanes a chain may be carried, and the command that does the same. */

import { describe, expect, it } from "vitest";
import { laneChoices } from "@/chains/scale-chain";
import { cli } from "@/session/cli";
import { chain } from "./fixtures";

describe("lanes of a chain", () => {
  it("are 1 to 8, and the present number says so", () => {
    const whole = laneChoices(chain("web"));
    expect(whole.map(({ text }) => text).slice(0, 3)).toEqual(["in no lanes", "2 lanes", "3 lanes"]);
    expect(whole.filter(({ note }) => note !== "").map(({ key }) => key)).toEqual(["1"]);
    const web = chain("web");
    const lane = { of: "web", number: 1, weights: [2, 1, 1] };
    const third = { ...web, spec: { ...web.spec, traffic: { ...web.spec.traffic, lane } } };
    expect(
      laneChoices(third)
        .filter(({ note }) => note !== "")
        .map(({ key }) => key),
    ).toEqual(["3"]);
  });

  it("are named by the command that does the same", () => {
    expect(cli.scale("web", [1, 1])).toBe("sextant chains scale web --lanes 2");
    expect(cli.scale("web", [3, 1])).toBe("sextant chains scale web --weights 3,1");
  });
});
