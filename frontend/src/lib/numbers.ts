/** Numbers as they are typed into a form, and what is wrong with them. Pure. */

export interface NumberRule {
  least?: number;
  above?: number;
  most: number;
  whole?: boolean;
}

/** Null for what is no number; a comma is not guessed at. */
export function parseNumber(text: string): number | null {
  const trimmed = text.trim();
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : null;
}

/** What is wrong with a typed number; null where nothing is. */
export function whyNot(text: string, rule: NumberRule): string | null {
  const value = parseNumber(text);
  if (value === null) return "a number is needed";
  if (rule.whole && !Number.isInteger(value)) return "a whole number is needed";
  if (rule.least !== undefined && value < rule.least) return `at least ${rule.least}`;
  if (rule.above !== undefined && value <= rule.above) return `more than ${rule.above}`;
  return value > rule.most ? `at most ${rule.most}` : null;
}

/** The numbers of one form: where one is wrong, that is reported under its field. */
export function numberReader(wrong: (field: string, message: string) => void) {
  return (field: string, text: string, rule: NumberRule): number => {
    const why = whyNot(text, rule);
    if (why) wrong(field, why);
    return parseNumber(text) ?? 0;
  };
}
