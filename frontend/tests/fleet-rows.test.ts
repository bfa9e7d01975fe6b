/** The fleet's table sorted by its heads. */

import { expect, it } from "vitest";
import { directionOf, fleetSort, nextSort, rowsOf, sortedRows } from "@/fleet/fleet-rows";
import type { HostModel, Unit } from "@/fleet/model";

const unit = (host: string, core: number, nf: [id: string, cpu: number | null] | null): Unit =>
  ({
    host,
    node: 0,
    core: { id: core },
    slot: 0,
    nf: nf && { nf_id: nf[0], chain: nf[0].split(".")[0], sample: nf[1] === null ? null : { cpu_percent: nf[1] } },
  }) as Unit;

const MODELS = [
  { host: { status: "up" }, units: [unit("edge-2", 0, ["web.nat", 90]), unit("edge-2", 1, null)] },
  { host: { status: "up" }, units: [unit("edge-10", 0, ["web.dpi", 40]), unit("edge-10", 1, ["app.nat", null])] },
  { host: { status: "unreachable" }, units: [unit("edge-3", 7, ["old.nat", 99])] },
] as unknown as HostModel[];

const seats = (sort: string | undefined) =>
  sortedRows(rowsOf(MODELS), sort).map(({ unit: { host, core } }) => `${host}/${core.id}`);

it("is in the map's order until a head is pressed, and then by it, names with numbers by value", () => {
  expect(seats(undefined)).toEqual(["edge-2/0", "edge-2/1", "edge-10/0", "edge-10/1", "edge-3/7"]);
  expect(seats("seat")).toEqual(["edge-2/0", "edge-2/1", "edge-3/7", "edge-10/0", "edge-10/1"]);
  expect(seats("nf")).toEqual(["edge-10/0", "edge-2/0", "edge-10/1", "edge-3/7", "edge-2/1"]);
});

it("puts what nobody reports last, whichever way: no NF, no sample, a host that is not reached", () => {
  expect(seats("-cpu").slice(0, 2)).toEqual(["edge-2/0", "edge-10/0"]);
  expect(seats("cpu").slice(0, 2)).toEqual(["edge-10/0", "edge-2/0"]);
  expect(seats("cpu").slice(2)).toEqual(["edge-2/1", "edge-10/1", "edge-3/7"]);
});

it("goes one way, the other, and back to the map's order: figures from the greatest, names from a", () => {
  const cpu = { key: "cpu", num: true } as const;
  expect([undefined, "-cpu", "cpu", "nf"].map((sort) => nextSort(sort, cpu))).toEqual([
    "-cpu",
    "cpu",
    undefined,
    "-cpu",
  ]);
  expect(["nf", "-nf"].map((sort) => nextSort(sort, { key: "nf" }))).toEqual(["-nf", undefined]);
  expect([directionOf("-cpu", "cpu"), directionOf("-cpu", "nf")]).toEqual(["descending", "none"]);
});

it("takes from an address only what it has a head for", () => {
  expect([fleetSort("-headroom"), fleetSort("colour"), fleetSort(3), fleetSort(undefined)]).toEqual([
    "-headroom",
    undefined,
    undefined,
    undefined,
  ]);
});
