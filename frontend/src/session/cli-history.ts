/** History as command lines. */

import { shellWord } from "./shell-word";

const between = (from: string, to: string | null) => `--from ${shellWord(from)}${to ? ` --to ${shellWord(to)}` : ""}`;

export const historyCli = {
  chainHistory: (name: string, from: string, to: string | null) =>
    `sextant history chain ${shellWord(name)} ${between(from, to)}`,
  hostHistory: (host: string, from: string, to: string | null) =>
    `sextant history host ${shellWord(host)} ${between(from, to)}`,
  compareMoments: (before: string, after: string) => `sextant history compare ${shellWord(before)} ${shellWord(after)}`,
  historySize: () => "sextant history size",
  historyMarks: (from: string, to: string | null) => `sextant history marks ${between(from, to)}`,
} as const;
