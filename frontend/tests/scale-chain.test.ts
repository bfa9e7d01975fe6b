/** In how many lanes a chain may be carried, and the command that does the same. */

import { describe, expect, it } from "vitest";
import { laneChoices, newLanes } from "@/chains/scale-chain";
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
    const one = { "web-lane-3": "edge-2", "web-lane-2": "edge-2" };
    expect(cli.scale("web", [1, 1, 1], one)).toBe("sextant chains scale web --lanes 3 --host edge-2");
    const each = { "web-lane-3": "edge-3", "web-lane-2": "edge-2" };
    expect(cli.scale("web", [1, 1, 1], each)).toBe("sextant chains scale web --lanes 3 --host edge-2 --host edge-3");
  });

  it("that start have the names that the engine gives them", () => {
    expect(newLanes(chain("web"), 3)).toEqual(["web-lane-2", "web-lane-3"]);
    expect(newLanes(chain("web"), 1)).toEqual([]);
  });
});
