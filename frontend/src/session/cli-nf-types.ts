/** NF types, models and trust as command lines. */

import { shellWord } from "./shell-word";

type Config = Readonly<Record<string, unknown>>;

export const nfTypesCli = {
  nfTypes: () => "sextant nf-types list",
  showNfType: (name: string) => `sextant nf-types show ${name}`,
  registerNfType: (name: string, implementation: string, config: Config, words: Words = {}) =>
    `sextant nf-types register ${name} --implementation ${implementation}${settings(config)}${wordOptions(words)}`,
  updateNfType: (name: string, config: Config, stored: Config, words: Words = {}) =>
    `sextant nf-types update ${name}${settings(config)}${takenBack(config, stored)}${wordOptions(words)}`,
  removeNfType: (name: string) => `sextant nf-types remove ${name}`,
  promoteFit: (fit: number, nfType: string | null) =>
    `sextant models promote ${fit}${nfType ? ` --nf-type ${nfType}` : ""}`,
  fitModels: (hostModel: string) => `sextant models fit ${shellWord(hostModel)}`,
  outcomes: (nfType: string) => `sextant outcomes --nf-type ${nfType}`,
  trust: (nfType: string) => `sextant trust --nf-type ${nfType}`,
} as const;

interface Words {
  readonly shortName?: string | null;
  readonly summary?: string | null;
}

function settings(config: Config): string {
  return Object.entries(config)
    .map(([name, value]) => ` --set ${shellWord(`${name}=${valueText(value)}`)}`)
    .join("");
}

/** Settings that go back to the implementation's default. */
function takenBack(config: Config, stored: Config): string {
  return Object.keys(stored)
    .filter((name) => !(name in config))
    .map((name) => ` --set ${name}=none`)
    .join("");
}

/** Plain text where the command reads it as that text, else JSON. */
function valueText(value: unknown): string {
  if (typeof value !== "string" || value === "none") return JSON.stringify(value);
  try {
    JSON.parse(value);
    return JSON.stringify(value);
  } catch {
    return value;
  }
}

function wordOptions({ shortName, summary }: Words): string {
  return `${shortName ? ` --short-name ${shellWord(shortName)}` : ""}${summary ? ` --summary ${shellWord(summary)}` : ""}`;
}
