/** A law's parameters as texts in a form, and what of them differs. Pure. */

import { type NumberRule, whyNot } from "@/lib/numbers";

interface Named<K extends string> {
  readonly key: K;
  readonly label: string;
}

/** A number that can be changed. Limits are those of the API's schema. */
export interface NumberField<K extends string = string> extends Named<K> {
  readonly unit: string;
  readonly hint: string;
  readonly rule: NumberRule;
  /** An empty field is a value: there is no limit. */
  readonly mayBeNone?: true;
}

/** One of several words. */
export interface ChoiceField<K extends string = string> extends Named<K> {
  readonly choices: readonly { readonly key: string; readonly text: string; readonly note: string }[];
}

export type ParameterField<K extends string = string> = NumberField<K> | ChoiceField<K>;

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
): { changed: Record<string, number | string | null>; errors: Record<string, string> } {
  const errors: Record<string, string> = {};
  const changed: Record<string, number | string | null> = {};
  for (const field of fields) {
    const { key } = field;
    const text = draft[key];
    if (text === undefined) continue;
    const { value, why } = "choices" in field ? { value: text, why: null } : readText(text, field);
    if (why) errors[key] = why;
    else if (value !== (present[key] ?? null)) changed[key] = value;
  }
  return { changed, errors };
}

function readText(text: string, { rule, mayBeNone }: NumberField): { value: number | null; why: string | null } {
  if (mayBeNone === true && text.trim() === "") return { value: null, why: null };
  return { value: Number(text), why: whyNot(text, rule) === null ? null : needed(rule, mayBeNone === true) };
}

/** The whole range at once, whichever end was missed: one refusal is enough to get it right. */
function needed({ least, above, most, whole }: NumberRule, mayBeNone: boolean): string {
  const kind = whole ? "a whole number" : "a number";
  const from = above === undefined ? `from ${least ?? "any"} to ${most}` : `above ${above} and at most ${most}`;
  return `${kind} ${from} is needed${mayBeNone ? ", or nothing" : ""}`;
}
