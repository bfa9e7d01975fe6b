/** CPU time of NFs in figures and words: what is not measured is neither 0 nor unexplained. */

import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { CpuFigure, cpuFigure, cpuText } from "@/fleet/cpu";
import { layerOf } from "@/fleet/layers";
import { Legend } from "@/fleet/legend";
import { modelOf } from "@/fleet/model";
import { host, nf, nfSample } from "./fixtures";

const { cpu_percent: _, ...uncounted } = nfSample("web.wall");

describe("CPU time", () => {
  it("is a figure, not measured, or unknown where there is no sample", () => {
    expect([nfSample("a.x", { cpu_percent: 0 }), uncounted, null].map(cpuFigure)).toEqual(["0", "not measured", "–"]);
    expect([nfSample("a.x"), { nf_id: "a.x", cpu_percent: null }].map(cpuText)).toEqual([
      "CPU 50 %",
      "CPU not measured",
    ]);
  });

  it("is a dash in a column, which says why", () => {
    render(<CpuFigure sample={uncounted} />);
    expect(screen.getByText("not measured").parentElement?.title).toContain("not measured");
    expect(screen.getByText("–")).toBeTruthy();
  });

  it("has its own key in the legend where it is not measured, and only there", () => {
    const of = (sample: ReturnType<typeof nfSample>) => {
      const one = nf("web.wall", "h", 0, { sample });
      const models = [modelOf(host("h"), new Map([[one.nf_id, one]]), layerOf("cpu"), new Set(), "labelled")];
      const { container, unmount } = render(
        <Legend layer={layerOf("cpu")} level="labelled" models={models} onRange={() => {}} />,
      );
      const text = container.textContent;
      unmount();
      return text;
    };
    expect(of(uncounted)).toContain("in the kernel: not measured");
    expect(of(nfSample("web.wall"))).not.toContain("not measured");
  });
});
