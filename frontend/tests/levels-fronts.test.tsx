/** Fronts of levels: which rates share one, the line that is drawn, and what is said of what nothing carries. */
import { render, screen, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import type { LevelsVersion } from "@/api/types";
import { LevelsChart } from "@/nf-types/levels-chart";
import { frontsOf, frontsText, mostWays, stairs } from "@/nf-types/levels-fronts";

type Measured = LevelsVersion["measured"];

const LOCAL: Measured["nodes"][number] = {
  kind: "local",
  fronts: [
    { gbps: 7, points: [[3, 20]] },
    {
      gbps: 2,
      points: [
        [2, 20],
        [1, 60],
      ],
    },
    {
      gbps: 4,
      points: [
        [1, 60],
        [2, 20],
      ],
    },
    { gbps: 9, points: [] },
  ],
  points_measured: 31,
  points_of_grid: 100,
};

function version(nodes: Measured["nodes"], provenance: LevelsVersion["provenance"] = "simulated"): LevelsVersion {
  const levels = {
    local: [
      { gbps: 2, ways: 2, mb_percent: 20 },
      { gbps: 4, ways: 2, mb_percent: 20 },
      { gbps: 7, ways: 3, mb_percent: 20 },
    ],
    remote: [],
  };
  const measured = { levels, nodes, noise_percent: 0.5, packet_bytes: 64, flows: 1000 };
  return { measured, provenance } as unknown as LevelsVersion;
}

describe("fronts", () => {
  it("are one line for rates that take the same, by rising rate and ways; what nothing carries has none", () => {
    expect(frontsOf(version([LOCAL]))).toEqual([
      {
        kind: "local",
        beyond: [9],
        fronts: [
          {
            text: "2.0 to 4.0 Gbps",
            points: [
              [1, 60],
              [2, 20],
            ],
            level: [2, 20],
          },
          { text: "7.0 Gbps", points: [[3, 20]], level: [3, 20] },
        ],
      },
    ]);
  });

  it("go down to the least bandwidth at each number of ways, then on to the right edge", () => {
    // 10 px a way; 100 % at 0 px, 0 % at 100 px: 1 way needs 60 % (40 px), 2 ways 20 % (80 px).
    const path = stairs(
      [
        [1, 60],
        [2, 20],
      ],
      (ways) => 10 * ways,
      (percent) => 100 - percent,
      50,
    );
    expect(path).toBe("M10.0 0.0H10.0V40.0H20.0V80.0H50.0");
    expect(stairs([], Number, Number, 50)).toBe("");
  });

  it("leave room for one way more than any needs, and never less than four", () => {
    expect(mostWays(frontsOf(version([LOCAL])))).toBe(4);
    expect(mostWays([])).toBe(4);
    const eleven = { ...LOCAL, fronts: [{ gbps: 1, points: [[11, 10]] as [number, number][] }] };
    expect(mostWays(frontsOf(version([eleven])))).toBe(12);
  });

  it("are said in words", () => {
    const [local] = frontsOf(version([LOCAL]));
    expect(local && frontsText(local)).toBe("local: 2.0 to 4.0 Gbps from 2 ways, 20 %; 7.0 Gbps from 3 ways, 20 %");
    expect(frontsText({ kind: "remote", fronts: [], beyond: [1] })).toBe("remote: nothing is carried");
  });
});

describe("the chart of levels", () => {
  it("draws a figure for each kind of node, marks each least combination once, and the level among them", async () => {
    const remote = { ...LOCAL, kind: "remote" as const };
    const { container } = render(<LevelsChart version={version([LOCAL, remote])} />);
    const [near] = screen.getAllByRole("figure");
    expect(near?.textContent).toContain("On a local node; nothing carries 9.0 Gbps");
    expect(near && within(near).getByRole("img").getAttribute("aria-label")).toContain("7.0 Gbps from 3 ways, 20 %");
    expect(near?.querySelectorAll(".points.simulated rect")).toHaveLength(3);
    expect([...(near?.querySelectorAll(".level title") ?? [])].map((one) => one.textContent)).toEqual([
      "2.0 to 4.0 Gbps: 2 ways, 20 %, the level",
      "7.0 Gbps: 3 ways, 20 %, the level",
    ]);
    expect(container.textContent).toContain("simulated; filled");
    const found = await axe.run(container, {
      rules: { region: { enabled: false }, "color-contrast": { enabled: false } },
    });
    expect(found.violations.map(({ id }) => id)).toEqual([]);
  });

  it("says which nodes were not measured; measured marks are round", () => {
    const { container } = render(<LevelsChart version={version([LOCAL], "measured")} />);
    expect(container.textContent).toContain("Remote nodes were not measured.");
    expect(container.querySelectorAll(".points.measured circle")).toHaveLength(3);
  });

  it("is left out where nothing carries anything", () => {
    const none = { ...LOCAL, fronts: [{ gbps: 9, points: [] }] };
    expect(render(<LevelsChart version={version([none])} />).container.innerHTML).toBe("");
  });
});
