/** A law's parameters as texts in a form, and what of them differs. Pure. */

import { type NumberRule, whyNot } from "@/lib/numbers";

/** One that can be changed. Limits are those of the API's schema. */
export interface ParameterField<K extends string = string> {
  readonly key: K;
  readonly label: string;
  readonly unit: string;
  readonly hint: string;
  readonly rule: NumberRule;
}

export type ParameterDraft = Readonly<Record<string, string>>;

/** What differs from the present values, and what is no value. */
export function changedOf(
  present: Readonly<Record<string, number | string>>,
  draft: ParameterDraft,
  fields: readonly ParameterField[],
): { changed: Record<string, number>; errors: Record<string, string> } {
  const errors: Record<string, string> = {};
  const changed: Record<string, number> = {};
  for (const { key, rule } of fields) {
    const text = draft[key];
    if (text === undefined) continue;
    const why = whyNot(text, rule);
    if (why) errors[key] = why;
    else if (Number(text) !== present[key]) changed[key] = Number(text);
  }
  return { changed, errors };
}
