/** The key of the map: it names what is painted, and nothing else. */

import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { type LayerKey, layerOf } from "@/fleet/layers";
import { Legend } from "@/fleet/legend";

const show = (key: LayerKey) =>
  render(<Legend layer={layerOf(key)} level="mass" models={[]} whyMissing={null} onRange={() => {}} />);

describe("legend of a large fleet", () => {
  it("has marks of cores where the layer paints cores", () => {
    show("utilisation");
    expect(screen.getByText("a mark a core, highest first")).toBeDefined();
    expect([screen.queryByText("free"), screen.queryByText("reserved")]).not.toContain(null);
  });

  it("has blocks of nodes where the layer paints whole nodes, and no key of cores", () => {
    show("memory");
    expect(screen.getByText("a block a node, node 0 above")).toBeDefined();
    expect([screen.queryByText("free"), screen.queryByText("reserved")]).toEqual([null, null]);
  });

  it("calls the ring what it is: a host may have a violated chain that nothing on it limits", () => {
    show("drops");
    expect(screen.getByText("limits a violated chain")).toBeDefined();
  });
});
