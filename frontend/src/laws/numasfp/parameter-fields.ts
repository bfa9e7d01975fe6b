/** Those of NUMASFP's parameters that an administrator changes. */

import type { NumasfpParameters, NumasfpParametersChange } from "@/api/types";
import type { ParameterField } from "@/automation/parameter-draft";

export const FIELDS = [
  {
    key: "hold_intervals",
    label: "A gain lasts",
    unit: "s",
    hint: "at least so long before chains move for it",
    rule: { least: 1, most: 3600, whole: true },
  },
  {
    key: "margin_percent",
    label: "Smallest gain",
    unit: "%",
    hint: "of what all chains of the host are offered",
    rule: { least: 0, most: 1000 },
  },
  {
    key: "budget_moves",
    label: "Moves",
    unit: "chains",
    hint: "at most, of a host within the time beside; a swap is two",
    rule: { least: 0, most: 1000, whole: true },
  },
  {
    key: "budget_s",
    label: "Moves within",
    unit: "s",
    hint: "the time that they are counted in",
    rule: { least: 1, most: 86_400 },
  },
  {
    key: "cool_down_s",
    label: "Rest",
    unit: "s",
    hint: "after a move nothing moves for so long",
    rule: { least: 0, most: 3600 },
  },
  {
    key: "forgone_factor",
    label: "Small gains",
    unit: "× the loss",
    hint: "of a move: a gain below the smallest is taken once staying has cost so much",
    rule: { least: 0, most: 1000 },
  },
  {
    key: "most_lost_packets",
    label: "May lose",
    unit: "packets",
    hint: "all chains of a move together; empty: any number",
    rule: { least: 0, most: 1e12, whole: true },
    mayBeNone: true,
  },
  {
    key: "most_pause_ms",
    label: "May pause",
    unit: "ms",
    hint: "a chain that moves; empty: any time",
    rule: { least: 0, most: 60_000 },
    mayBeNone: true,
  },
] as const satisfies readonly ParameterField<keyof NumasfpParametersChange & keyof NumasfpParameters>[];
