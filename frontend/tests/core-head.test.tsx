/** Above a shared core on a host's picture: the figure that the fleet's map shows for the layer, and what other work takes. */

import { render } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { layerOf } from "@/fleet/layers";
import { modelOf } from "@/fleet/model";
import { Drawing } from "@/hosts/picture-drawing";
import type { PictureLayout } from "@/hosts/picture-layout";
import type { HostData } from "@/hosts/use-host";
import { host, nf, nfSample, seat } from "./fixtures";

/** Core 0 of 8 slots: its NF puts 1.8 % of the core into packets, somebody else uses 97 %. */
function headOf(layerKey: "utilisation" | "cpu", width: number): (string | null)[] {
  const cores = [{ core: 0, busy_percent: 100, other_percent: 97 }];
  const view = host("h", 1, 1, 8, { cores });
  const sample = nfSample("web.router", { utilisation_percent: 1.8, cpu_percent: 3 });
  const one = nf("web.router", "h", 0, { seat: seat("h", 0), sample });
  const layer = layerOf(layerKey);
  const model = modelOf(view, new Map([[one.nf_id, one]]), layer, new Set(), "labelled");
  const data = { host: view, model, nfs: [one], chains: [], letters: new Map(), figures: "live", layer };
  const layout = {
    ...{ level: "labelled", corridor: null, nodes: [], pairs: [], units: [] },
    heads: [{ core: 0, x: 0, y: 0, w: width, h: 16 }],
  };
  const { container } = render(
    <svg>
      <title>h</title>
      <Drawing data={data as unknown as HostData} layout={layout as unknown as PictureLayout} units={new Map()}>
        {null}
      </Drawing>
    </svg>,
  );
  return [...container.querySelectorAll(".core-head text")].map(({ textContent }) => textContent);
}

describe("the head of a shared core", () => {
  it("shows the layer's figure, and says whose the rest is", () => {
    expect(headOf("utilisation", 600)).toEqual(["core 0, 1 of 8, other work 97 %", "1.8 %"]);
    expect(headOf("cpu", 600)).toEqual(["core 0, 1 of 8, other work 97 %", "100 %"]);
  });

  it("is shorter where there is less room", () => {
    expect(headOf("cpu", 160)[0]).toBe("core 0, 1 of 8, other 97 %");
  });
});
