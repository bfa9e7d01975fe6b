/** Those parameters of SRv6-INT's global loop that an administrator changes. */

import type { Srv6Parameters, Srv6ParametersChange } from "@/api/types";
import type { ParameterField } from "@/automation/parameter-draft";

export const FIELDS = [
  {
    key: "hold_s",
    label: "Hold",
    unit: "s",
    hint: "an NF must have needed more than its host has for so long",
    rule: { least: 0, most: 3600 },
  },
  {
    key: "load_percent",
    label: "A lane carries",
    unit: "%",
    hint: "of the highest rate at which one was well",
    rule: { least: 10, most: 100 },
  },
  {
    key: "other_work_percent",
    label: "Other work that counts",
    unit: "%",
    hint: "of a host’s time; the rest gives way to NFs",
    rule: { least: 0, most: 100 },
  },
  {
    key: "surplus_s",
    label: "Before a lane goes",
    unit: "s",
    hint: "one lane less must have done for so long",
    rule: { least: 1, most: 86_400 },
  },
  {
    key: "rest_s",
    label: "Rest",
    unit: "s",
    hint: "after a change no lanes of that host’s chains are changed for so long",
    rule: { least: 0, most: 3600 },
  },
  {
    key: "late_s",
    label: "Measurements count for",
    unit: "s",
    hint: "older ones are not acted on",
    rule: { least: 0, most: 3600 },
  },
] as const satisfies readonly ParameterField<keyof Srv6ParametersChange & keyof Srv6Parameters>[];
