import { describe, expect, it } from "vitest";
import type { Box, FleetLayout } from "@/fleet/boxes";
import { densityFor } from "@/fleet/density";
import { layoutFleet } from "@/fleet/layout";
import { shapes } from "./fixtures";

const ROOM = { width: 1044, height: 740 };

function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

function inside(unit: Box, host: Box & { head: number }): boolean {
  const below = unit.y >= host.y + host.head && unit.y + unit.h <= host.y + host.h;
  return below && unit.x >= host.x && unit.x + unit.w <= host.x + host.w;
}

/** What is wrong with the geometry; one assertion for 48 000 units, not one each. */
function faults(layout: FleetLayout): string[] {
  const found: string[] = [];
  layout.hosts.forEach((host, index) => {
    for (let at = host.first; at < host.first + host.count; at += 1) {
      const unit = layout.units[at];
      const next = at + 1 < host.first + host.count ? layout.units[at + 1] : undefined;
      if (!unit || unit.host !== index) found.push(`unit ${at} is not of host ${index}`);
      else if (!inside(unit, host)) found.push(`unit ${at} lies outside of its host`);
      else if (next && overlaps(unit, next)) found.push(`unit ${at} lies on the next`);
    }
    for (const other of layout.hosts.slice(index + 1, index + 30)) {
      if (overlaps(host, other)) found.push(`host ${index} lies on another`);
    }
  });
  return found;
}

function expectSound(layout: FleetLayout): void {
  expect(faults(layout)).toEqual([]);
}

describe("density rule", () => {
  it.each([
    [1, "labelled"],
    [8, "labelled"],
    [9, "compact"],
    [60, "compact"],
    [61, "dense"],
    [300, "dense"],
    [301, "mass"],
    [1000, "mass"],
  ] as const)("%i hosts are %s", (hosts, level) => {
    expect(densityFor(hosts)).toBe(level);
  });
});

describe("layout", () => {
  it("draws 4 hosts labelled: 56 x 54 cells, nodes side by side in two rows", () => {
    const layout = layoutFleet(shapes(4), { width: 968, height: 740 }); // just as wide as that takes
    expect(layout.level).toBe("labelled");
    expect(layout.units).toHaveLength(4 * 32);
    expect(layout.units[0]).toMatchObject({ x: 18, y: 26, w: 56, h: 54 });
    // Core 8 of 16 starts the second row: 26 + 54 + 2.
    expect(layout.units[8]).toMatchObject({ x: 18, y: 82 });
    // Node 1 starts after 8 columns of 58 px less one gap, and 26 px: 18 + 462 + 26.
    expect(layout.units[16]).toMatchObject({ x: 506, y: 26, node: 1 });
    expectSound(layout);
  });

  it("fills the width of a narrow window, though a small host in the fleet leaves its own cells no room", () => {
    // 700 pixels less gutters. A node of 2 x 12: 6 columns of (668 - 18 + 2) / 6 = 108.7, 2 of it a gap.
    // The small host: 2 cores x 5 slots: 2 x (5 x 65 - 1) + 10 = 658 is too wide for 650, 2 x (5 x 64 - 1) + 10 = 648 is not.
    const hosts = [...shapes(3, 2, 12), ...shapes(1, 1, 2, 5)].map((shape, index) => ({ ...shape, id: `h-${index}` }));
    const layout = layoutFleet(hosts, { width: 668, height: 740 });
    expect(layout.units[0]?.w).toBe(106);
    expect(layout.units.at(-1)?.w).toBe(63);
    expect(layout.hosts.slice(0, 3).map(({ w }) => w)).toEqual([664, 664, 664]);
    expectSound(layout);
  });

  it("widens cells into the room that is left, up to 108 pixels, and lays nothing otherwise", () => {
    // 2 nodes of 6 columns in 1052: (1052 - 18 - 26 + 2 x 2) / 12 = 84.3 a column, 2 of it a gap.
    const layout = layoutFleet(shapes(3, 2, 12), { width: 1052, height: 740 });
    expect(layout.units.every((unit) => unit.w === 82 && unit.h === 54)).toBe(true);
    expect(layout.hosts.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [0, 148],
      [0, 296],
    ]);
    expect(layoutFleet(shapes(1, 2, 4), { width: 1052, height: 740 }).units[0]?.w).toBe(108);
    expectSound(layout);
  });

  it("sets hosts side by side where the width holds them, in their order", () => {
    // 2 nodes of 12 cores: 18 + 2 x 346 + 26 = 736 wide, 26 + 110 high; two of them and a gap of 18 are 1490.
    const layout = layoutFleet(shapes(4, 2, 12), { width: 1490, height: 740 });
    expect(layout.hosts.map(({ x, y }) => [x, y])).toEqual([
      [0, 0],
      [754, 0],
      [0, 148],
      [754, 148],
    ]);
    expectSound(layout);
  });

  it("stacks the nodes where they do not fit side by side, and never shrinks a cell", () => {
    const layout = layoutFleet(shapes(2), { width: 480, height: 700 }); // 18 + 8 x 58 - 2: no room for a second node
    expect(layout.units[16]?.x).toBe(18);
    expect(layout.units.every((unit) => unit.w === 56 && unit.h === 54)).toBe(true);
    expectSound(layout);
  });

  it("gives every slot of a shared core a readable column, and the core a head above them", () => {
    const shape = shapes(1, 1, 1, 8).concat();
    const layout = layoutFleet(shape, { width: 473, height: 740 }); // 18 + 8 x 57 - 1
    expect(layout.units).toHaveLength(8);
    expect(new Set(layout.units.map((unit) => unit.y)).size).toBe(1);
    expect(layout.units.every((unit) => unit.w === 56)).toBe(true);
    expect(layout.coreHeads).toHaveLength(1);
    expect(layout.coreHeads[0]).toMatchObject({ x: 18, y: 26, w: 8 * 57 - 1 });
    expectSound(layout);
  });

  it("wraps the slots of a shared core where the room is narrow", () => {
    const layout = layoutFleet(shapes(1, 1, 2, 8), { width: 300, height: 700 });
    expect(Math.max(...layout.units.map((unit) => unit.x + unit.w))).toBeLessThanOrEqual(300);
    expectSound(layout);
  });

  it("draws 24 hosts compact: 8 x 26 cells at a pitch of 9, in racks", () => {
    const layout = layoutFleet(shapes(24, 2, 24), ROOM);
    expect(layout.level).toBe("compact");
    expect(layout.units[0]).toMatchObject({ w: 8, h: 26 });
    expect((layout.units[1]?.x ?? 0) - (layout.units[0]?.x ?? 0)).toBe(9);
    expect(layout.groups.map((group) => group.hosts)).toEqual([20, 4]);
    expect(layout.width).toBeLessThanOrEqual(ROOM.width);
    expectSound(layout);
  });

  it("narrows compact cells to 5 pixels where the room is narrow", () => {
    expect(layoutFleet(shapes(24), { width: 700, height: 700 }).units[0]).toMatchObject({ w: 5, h: 26 });
  });

  it("sets four nodes two by two", () => {
    const layout = layoutFleet(shapes(9, 4, 8), ROOM);
    const nodes = layout.nodes.filter((node) => node.host === 0);
    expect(nodes[1]?.y).toBe(nodes[0]?.y);
    expect(nodes[2]?.x).toBe(nodes[0]?.x);
    expect(nodes[2]?.y).toBeGreaterThan(nodes[0]?.y ?? 0);
  });

  it("draws 240 hosts dense: 4 x 8 cells, cores in the order of their numbers", () => {
    const layout = layoutFleet(shapes(240), ROOM);
    expect(layout.level).toBe("dense");
    expect(layout.units).toHaveLength(240 * 32);
    expect(layout.units[0]).toMatchObject({ w: 4, h: 8 });
    expect((layout.units[1]?.x ?? 0) - (layout.units[0]?.x ?? 0)).toBe(5);
    expectSound(layout);
  });

  it("draws 1000 hosts in mass: every core at least 2 x 2, all of them on the screen", () => {
    const layout = layoutFleet(shapes(1000, 2, 24), ROOM);
    expect(layout.level).toBe("mass");
    expect(layout.units).toHaveLength(48_000);
    expect(layout.units.every((unit) => unit.w >= 2 && unit.h >= 2)).toBe(true);
    expect(layout.groups.filter((group) => group.level === "zone")).toHaveLength(5);
    expect(layout.width).toBeLessThanOrEqual(ROOM.width);
    expect(layout.height).toBeLessThanOrEqual(ROOM.height);
    expectSound(layout);
  });

  it("lets a rack of 1000 hosts fill the screen instead of a strip at its edge", () => {
    const alike = shapes(1000, 2, 12).map((shape) => ({ ...shape, zone: "demo", rack: "" }));
    const layout = layoutFleet(alike, ROOM);
    // 8 marks of 3 x 4 and a gap of 2: (1044 - 24 + 2) / 26 = 39 hosts side by side, 26 rows of 2 x 2 x 4 + 2 + 2 = 20.
    expect(layout.hosts.filter(({ y }) => y === layout.hosts[0]?.y)).toHaveLength(39);
    expect(layout.units[0]).toMatchObject({ w: 3, h: 4 });
    expect(layout.height).toBe(14 + 26 * 20 + 10);
    expectSound(layout);
  });

  it("keeps a place for hosts in mass that never reported", () => {
    const layout = layoutFleet(shapes(400, 0), ROOM);
    expect(new Set(layout.hosts.map(({ x, y }) => `${x} ${y}`)).size).toBe(400);
    expectSound(layout);
  });

  it("leaves out no core at any level", () => {
    for (const count of [1, 8, 9, 60, 61, 300, 301]) {
      expect(layoutFleet(shapes(count, 2, 10), ROOM).units).toHaveLength(count * 20);
    }
  });

  it("draws a host that never reported as its head alone", () => {
    const layout = layoutFleet(shapes(1, 0), ROOM);
    expect(layout.units).toHaveLength(0);
    expect(layout.hosts[0]).toMatchObject({ count: 0, h: 26 });
  });
});
