/** Those of CoCo's parameters that an administrator changes. */

import type { CocoParameters, CocoParametersChange } from "@/api/types";
import type { ParameterField } from "@/automation/parameter-draft";

export const FIELDS = [
  {
    key: "hold_intervals",
    label: "Hold",
    unit: "s",
    hint: "a core must have been overloaded so long; below 1 s where hosts report early",
    rule: { least: 0.2, most: 3600 },
  },
  {
    key: "lost_percent",
    label: "Loss that counts",
    unit: "%",
    hint: "a chain that loses less is not short of time",
    rule: { least: 0, most: 100 },
  },
  {
    key: "full_percent",
    label: "A core can give",
    unit: "%",
    hint: "of its time; switching between NFs takes the rest",
    rule: { least: 50, most: 100 },
  },
  {
    key: "other_work_percent",
    label: "Other work that counts",
    unit: "%",
    hint: "of a core's time; the rest gives way to NFs",
    rule: { least: 0, most: 100 },
  },
  {
    key: "rule",
    label: "Who goes aside",
    choices: [
      { key: "published", text: "Neighbours", note: "the fewest border elements, as published" },
      { key: "exact", text: "The cheapest change", note: "any NFs that may move, by hops and moves" },
    ],
  },
  {
    key: "move_price",
    label: "Price of a move",
    unit: "hops",
    hint: "of the fastest chain; only for the cheapest change",
    rule: { least: 0, most: 1000 },
  },
  {
    key: "rest_s",
    label: "Rest",
    unit: "s",
    hint: "after a push nothing is pushed on that host for so long",
    rule: { least: 0, most: 3600 },
  },
] as const satisfies readonly ParameterField<keyof CocoParametersChange & keyof CocoParameters>[];
