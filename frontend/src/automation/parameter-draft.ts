/** A law's parameters as texts in a form, and what of them differs. Pure. */

import { type NumberRule, whyNot } from "@/lib/numbers";

/** One that can be changed. Limits are those of the API's schema. */
export interface ParameterField<K extends string = string> {
  readonly key: K;
  readonly label: string;
  readonly unit: string;
  readonly hint: string;
  readonly rule: NumberRule;
  /** An empty field is a value: there is no limit. */
  readonly mayBeNone?: true;
}

export type ParameterDraft = Readonly<Record<string, string>>;

/** "" where there is no limit. */
export function parameterText(value: number | string | null | undefined): string {
  return value == null ? "" : String(value);
}

/** What differs from the present values, and what is no value. */
export function changedOf(
  present: Readonly<Record<string, number | string | null | undefined>>,
  draft: ParameterDraft,
  fields: readonly ParameterField[],
): { changed: Record<string, number | null>; errors: Record<string, string> } {
  const errors: Record<string, string> = {};
  const changed: Record<string, number | null> = {};
  for (const { key, rule, mayBeNone } of fields) {
    const text = draft[key];
    if (text === undefined) continue;
    const none = mayBeNone === true && text.trim() === "";
    const why = none ? null : whyNot(text, rule);
    const value = none ? null : Number(text);
    if (why) errors[key] = why;
    else if (value !== (present[key] ?? null)) changed[key] = value;
  }
  return { changed, errors };
}
