/** Rows of the fleet's table, one a core and slot, and what they are sorted by. Pure. */

import type { NfSample } from "@/api/types";
import { missPercent, nodeOf } from "@/interference/counters";
import type { Direction } from "@/ui/sort-button";
import { compared, sortingOf, sortText, type TableView, tableView } from "@/ui/table-view";
import { lossPercent } from "./layers";
import type { HostModel, Unit } from "./model";
import { differencePercent } from "./predictions";
import { utilisationOf } from "./utilisation";

export interface Row {
  readonly unit: Unit;
  readonly model: HostModel;
}

interface Head {
  readonly key: string;
  readonly head: string;
  readonly title?: string;
  /** Figures: the greatest first. */
  readonly num?: boolean;
  /** Where it is not always there: with hardware counters, or with predictions. */
  readonly of?: "counted" | "predicted";
  /** Null comes last, whichever way. */
  readonly sort: (row: Row) => string | number | null;
}

const measured = (of: (sample: NfSample) => number | null | undefined) => (row: Row) => {
  const sample = sampleOf(row);
  return sample ? (of(sample) ?? null) : null;
};

export const HEADS: readonly Head[] = [
  { key: "seat", head: "Host/node/core", sort: ({ unit }) => unit.host },
  { key: "slot", head: "Slot", num: true, sort: ({ unit }) => unit.slot },
  { key: "nf", head: "NF", sort: ({ unit }) => unit.nf?.nf_id.split(".")[1] ?? null },
  { key: "chain", head: "Chain", sort: ({ unit }) => unit.nf?.chain ?? null },
  {
    key: "utilisation",
    head: "Utilisation, %",
    title: "Share of its core's time spent on packets",
    num: true,
    sort: measured((sample) => utilisationOf(sample)?.value),
  },
  {
    key: "headroom",
    head: "Headroom, Mpps",
    title: "How much more it could carry before it drops packets",
    num: true,
    sort: measured(({ headroom_mpps }) => headroom_mpps),
  },
  { key: "cpu", head: "CPU, %", num: true, sort: measured(({ cpu_percent }) => cpu_percent) },
  { key: "mpps", head: "Mpps", num: true, sort: measured(({ tx_mpps }) => tx_mpps) },
  { key: "drops", head: "Drops, %", num: true, sort: measured(lossPercent) },
  { key: "misses", head: "LLC misses, %", num: true, of: "counted", sort: measured(missPercent) },
  { key: "memory", head: "Node's memory, %", num: true, of: "counted", sort: (row) => nodeSample(row)?.memory ?? null },
  { key: "link", head: "Node's link, %", num: true, of: "counted", sort: (row) => nodeSample(row)?.link ?? null },
  {
    key: "predicted",
    head: "Chain predicted, Mpps",
    num: true,
    of: "predicted",
    sort: ({ unit }) => (unit.nf ? (unit.standing?.predicted_mpps ?? null) : null),
  },
  {
    key: "difference",
    head: "Difference, %",
    num: true,
    of: "predicted",
    sort: ({ unit }) => (unit.nf && unit.standing ? differencePercent(unit.standing) : null),
  },
  { key: "state", head: "State", sort: ({ unit }) => (unit.limits ? "" : (unit.nf?.state ?? null)) },
];

/** What the host reports of the row's NF by now. */
export function sampleOf({ unit, model }: Row): NfSample | null {
  return model.host.status === "unreachable" ? null : (unit.nf?.sample ?? null);
}

function nodeSample(row: Row): { memory: number | null | undefined; link: number | null | undefined } | null {
  const node = sampleOf(row) ? nodeOf(row.model.host, row.unit.node) : null;
  return node ? { memory: node.memory_load_percent, link: node.link_load_percent } : null;
}

/** Host by host, core by core. */
export function rowsOf(models: readonly HostModel[]): Row[] {
  return models.flatMap((model) => model.units.map((unit) => ({ unit, model })));
}

/** Of equal rows that of the host and core before comes first. */
export function sortedRows(rows: Row[], sort: string | undefined): readonly Row[] {
  const sorting = sortingOf(sort ? { sort } : {});
  const by = HEADS.find(({ key }) => key === sorting?.key)?.sort;
  if (!sorting || !by) return rows;
  const values = rows.map(by);
  const rank = ranks(values);
  const known: { row: Row; at: number }[] = [];
  const unknown: Row[] = [];
  rows.forEach((row, index) => {
    const value = values[index] ?? null;
    if (value === null) unknown.push(row);
    else known.push({ row, at: typeof value === "number" ? value : (rank.get(value) ?? 0) });
  });
  const way = sorting.descending ? -1 : 1;
  known.sort((one, other) => way * (one.at - other.at));
  return [...known.map(({ row }) => row), ...unknown];
}

/** Names in order. Comparing names takes long, there are far fewer than rows, and the table is sorted with every sample. */
function ranks(values: readonly (string | number | null)[]): ReadonlyMap<string, number> {
  const names = new Set(values.filter((value) => typeof value === "string"));
  return new Map([...names].sort(compared).map((name, rank) => [name, rank]));
}

/** What of an address this table can be sorted by. */
export function fleetSort(raw: unknown): TableView["sort"] {
  return tableView({ sort: raw }, HEADS).sort;
}

export function directionOf(sort: string | undefined, key: string): Direction {
  const sorting = sortingOf(sort ? { sort } : {});
  if (sorting?.key !== key) return "none";
  return sorting.descending ? "descending" : "ascending";
}

/** What a press on a head asks for: one way, the other, and the table's own order. */
export function nextSort(
  sort: string | undefined,
  { key, num = false }: Pick<Head, "key" | "num">,
): string | undefined {
  const ways = [sortText({ key, descending: num === true }), sortText({ key, descending: num !== true }), undefined];
  return ways[sort === undefined ? 0 : ways.indexOf(sort) + 1];
}
