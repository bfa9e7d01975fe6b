/** The policy as texts in a form, and back. Pure. */

import type { Policy, PolicyMode } from "@/api/types";

export const MODES: readonly { key: PolicyMode; text: string }[] = [
  { key: "manual", text: "Manual" },
  { key: "recommend", text: "Recommend" },
  { key: "automatic", text: "Automatic" },
];

export const EFFECTS: Record<PolicyMode, string> = {
  manual: "No recommendations. You request re-placements yourself.",
  recommend: "Re-placements with enough gain are recommended. You apply or dismiss them.",
  automatic:
    "Re-placements with enough gain are applied at once if every model is trusted, else recommended. The mode returns to Recommend when a predictor loses trust.",
};

export const FIELDS = [
  {
    key: "margin_percent",
    label: "Smallest gain",
    unit: "%",
    hint: "of the present score of the hosts; not required if it restores an SLO",
  },
  { key: "margin_mpps", label: "and", unit: "value × Mpps", hint: "on each host that would change" },
  { key: "hold_s", label: "Hold time", unit: "s", hint: "how long the gain must last" },
  { key: "max_moves", label: "Moves", unit: "moves", hint: "most NFs that one re-placement may move" },
  { key: "rest_s", label: "Rest", unit: "s", hint: "after an operation, before the next evaluation" },
  { key: "every_s", label: "Evaluate every", unit: "s", hint: "at least 5" },
] as const;

export type FieldKey = (typeof FIELDS)[number]["key"];
export type PolicyDraft = Record<FieldKey, string> & { mode: PolicyMode; races: boolean };

export function draftOf(policy: Policy): PolicyDraft {
  const texts = Object.fromEntries(FIELDS.map(({ key }) => [key, String(policy[key])])) as Record<FieldKey, string>;
  return { ...texts, mode: policy.mode, races: policy.races };
}

/** What is no number is reported at once; limits are the console's to judge. */
export function readPolicy(draft: PolicyDraft): { policy: Policy | null; errors: Partial<Record<FieldKey, string>> } {
  const errors: Partial<Record<FieldKey, string>> = {};
  const numbers = {} as Record<FieldKey, number>;
  for (const { key } of FIELDS) {
    const value = draft[key].trim() === "" ? Number.NaN : Number(draft[key]);
    if (!Number.isFinite(value) || value < 0) errors[key] = "a number, 0 or more";
    else if (key === "max_moves" && !Number.isInteger(value)) errors[key] = "a whole number";
    numbers[key] = value;
  }
  return {
    policy: Object.keys(errors).length > 0 ? null : { ...numbers, mode: draft.mode, races: draft.races },
    errors,
  };
}

const OPTIONS: Record<FieldKey, string> = {
  margin_percent: "--margin-percent",
  margin_mpps: "--margin-mpps",
  hold_s: "--hold",
  max_moves: "--max-moves",
  rest_s: "--rest",
  every_s: "--every",
};

/** " --mode automatic --hold 30": what differs. */
export function policyOptions(wanted: Policy, present: Policy): string {
  const mode = wanted.mode === present.mode ? "" : ` --mode ${wanted.mode}`;
  const changed = FIELDS.filter(({ key }) => wanted[key] !== present[key]);
  const races = wanted.races === present.races ? "" : wanted.races ? " --races" : " --no-races";
  return mode + changed.map(({ key }) => ` ${OPTIONS[key]} ${wanted[key]}`).join("") + races;
}
