/** The form of an NF type and its checks; paths of errors are those of the API. Pure. */

import type { FieldError, NfType, NfTypeNew } from "@/api/types";
import { type Config, configText, ownDefaults, parseConfig } from "./config";

export interface TypeDraft {
  readonly implementation: string;
  readonly name: string;
  /** Empty: the first 8 characters of the name. */
  readonly shortName: string;
  /** Empty: the implementation's. */
  readonly summary: string;
  /** JSON of what differs. */
  readonly config: string;
}

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const SHORT = /^[A-Za-z0-9]([A-Za-z0-9 ._-]{0,6}[A-Za-z0-9])?$/;
const MOST_SUMMARY = 200;
export const NAME_RULE = "lower case, digits and hyphens, 1 to 63 characters";
export const SHORT_RULE = "letters and digits, inside also space . _ -; at most 8 characters";

export function emptyType(implementation: string): TypeDraft {
  return { implementation, name: "", shortName: "", summary: "", config: "" };
}

export function draftOf(type: NfType, implementation: NfType): TypeDraft {
  return {
    implementation: implementation.name,
    name: type.name,
    shortName: type.short_name,
    summary: type.summary === implementation.summary ? "" : type.summary,
    config: configText(ownDefaults(type, implementation)),
  };
}

/** What would be sent, or what is wrong. */
export function checkType(draft: TypeDraft): { asked: NfTypeNew | null; errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const wrong = (field: string, message: string) => errors.push({ field, message });
  const [short, summary] = [draft.shortName.trim(), draft.summary.trim()];
  if (draft.implementation === "") wrong("implementation", "choose the built-in type whose program runs");
  if (!NAME.test(draft.name)) wrong("name", draft.name === "" ? "a name is needed" : NAME_RULE);
  if (short !== "" && !SHORT.test(short)) wrong("short_name", SHORT_RULE);
  if (summary.length > MOST_SUMMARY) wrong("summary", `at most ${MOST_SUMMARY} characters, not ${summary.length}`);
  const config = parseConfig(draft.config, "config", wrong);
  const asked: NfTypeNew = {
    name: draft.name,
    implementation: draft.implementation,
    short_name: short === "" ? null : short,
    summary: summary === "" ? null : summary,
    config,
  };
  return { asked: errors.length === 0 ? asked : null, errors };
}

/** True where saving it makes another version, for which the type is to be profiled again. */
export function makesVersion(config: Config, stored: Config): boolean {
  const sorted = (value: Config) => JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(config) !== sorted(stored);
}
