/** A configuration as a person writes it: JSON of what differs from the defaults; empty for the defaults. Pure. */

import type { NfType } from "@/api/types";

export type Config = Record<string, unknown>;

export interface Property {
  type?: string | string[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  enum?: unknown[];
  description?: string;
  pattern?: string;
  writeOnly?: boolean;
}

/** What may be set, from the type's schema. */
export function propertiesOf(type: NfType): Record<string, Property> {
  return (type.config_schema as { properties?: Record<string, Property> }).properties ?? {};
}

/** Settings whose values nobody may read; their fields are not part of the configuration's text. */
export function secretSettings(type: NfType): string[] {
  return Object.entries(propertiesOf(type)).flatMap(([name, property]) => (property.writeOnly ? [name] : []));
}

/** Whether a value only names a secret that the console has. */
export function isReference(value: unknown): boolean {
  return typeof value === "string" && /^secret:[0-9a-f]{32}$/.test(value);
}

/** A new value for a secret of so many hexadecimal digits; null where the schema asks for something else. */
export function generated(property: Property): string | null {
  const digits = Number(/^\^\[0-9a-fA-F\]\{(\d+)\}\$$/.exec(property.pattern ?? "")?.[1] ?? 0);
  if (digits === 0 || digits % 2 === 1 || digits > 128) return null;
  const bytes = crypto.getRandomValues(new Uint8Array(digits / 2));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The configuration that the text writes; what is wrong with it is reported, and it is empty then. */
export function parseConfig(text: string, field: string, wrong: (field: string, message: string) => void): Config {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Config;
    wrong(field, 'a JSON object is needed, as {"seed": 2}');
  } catch (error) {
    wrong(field, error instanceof Error ? error.message : "this is not valid JSON");
  }
  return {};
}

/** What a configuration says of one setting; null where it says nothing. Undefined while it is no JSON object. */
export function settingOf(config: string, name: string): unknown {
  const value = parsedConfig(config);
  return value === undefined ? undefined : (value[name] ?? null);
}

/** The configuration with one setting set, or (null) left to its default; as it was while it is no JSON object. */
export function withSetting(config: string, name: string, setting: string | null): string {
  const value = parsedConfig(config);
  if (value === undefined) return config;
  const { [name]: _former, ...others } = value;
  return configText(setting === null ? others : { ...others, [name]: setting });
}

/** As `parseConfig` reads it. */
export function configText(config: Config): string {
  return Object.keys(config).length === 0 ? "" : JSON.stringify(config, null, 2);
}

function parsedConfig(text: string): Config | undefined {
  let broken = false;
  const value = parseConfig(text, "", () => {
    broken = true;
  });
  return broken ? undefined : value;
}

/** Defaults of a registered type that are not those of the type that it runs. */
export function ownDefaults(type: NfType, implementation: NfType): Config {
  const theirs = propertiesOf(implementation);
  return Object.fromEntries(
    Object.entries(propertiesOf(type)).flatMap(([name, property]) =>
      JSON.stringify(property.default) === JSON.stringify(theirs[name]?.default) ? [] : [[name, property.default]],
    ),
  );
}
