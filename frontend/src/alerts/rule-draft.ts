/** A rule while it is being changed: what was typed, what of it is valid, and the command that does the same. Pure. */

import type { RuleChange } from "@/api/alert-queries";
import type { AlertRule, AlertSeverity } from "@/api/types";

export interface RuleDraft {
  readonly enabled: boolean;
  readonly severity: AlertSeverity;
  readonly fireAfter: string;
  readonly resolveAfter: string;
  readonly repeatAfter: string;
  readonly parameters: Readonly<Record<string, string>>;
}

const MOST_S = 86_400;

export function draftOf(rule: AlertRule): RuleDraft {
  return {
    enabled: rule.enabled,
    severity: rule.severity,
    fireAfter: String(rule.fire_after_s),
    resolveAfter: String(rule.resolve_after_s),
    repeatAfter: String(rule.repeat_after_s),
    parameters: Object.fromEntries(rule.parameters.map(({ name, value }) => [name, String(value)])),
  };
}

/** `change` is null while something is wrong; `errors` by field. */
export function readDraft(
  draft: RuleDraft,
  rule: AlertRule,
): { change: RuleChange | null; errors: Record<string, string> } {
  const errors: Record<string, string> = {};
  const read = (field: string, text: string, least: number, most: number) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value) || value < least || value > most) {
      errors[field] = `a number from ${least} to ${most}`;
    }
    return value;
  };
  const change: RuleChange = {
    enabled: draft.enabled,
    severity: draft.severity,
    fire_after_s: read("fire_after_s", draft.fireAfter, 0, MOST_S),
    resolve_after_s: read("resolve_after_s", draft.resolveAfter, 0, MOST_S),
    repeat_after_s: read("repeat_after_s", draft.repeatAfter, 0, MOST_S),
    parameters: Object.fromEntries(
      rule.parameters.map(({ name, least, most }) => [
        name,
        read(`parameters.${name}`, draft.parameters[name] ?? "", least, most),
      ]),
    ),
  };
  return { change: Object.keys(errors).length > 0 ? null : change, errors };
}

/** Options of `sextant alerts set-rule`, of what differs; empty where nothing does. */
export function ruleOptions(change: RuleChange, rule: AlertRule): string {
  const parts = [
    change.enabled === rule.enabled ? "" : change.enabled ? "--on" : "--off",
    change.severity === rule.severity ? "" : `--severity ${change.severity}`,
    change.fire_after_s === rule.fire_after_s ? "" : `--fire-after ${change.fire_after_s}`,
    change.resolve_after_s === rule.resolve_after_s ? "" : `--resolve-after ${change.resolve_after_s}`,
    change.repeat_after_s === rule.repeat_after_s ? "" : `--repeat-after ${change.repeat_after_s}`,
    ...rule.parameters.map(({ name, value }) =>
      change.parameters[name] === value ? "" : `--set ${name}=${change.parameters[name]}`,
    ),
  ];
  return parts
    .filter(Boolean)
    .map((part) => ` ${part}`)
    .join("");
}
