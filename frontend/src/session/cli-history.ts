/** History as command lines. */

import { shellWord } from "./shell-word";

const between = (from: string, to: string | null) => `--from ${shellWord(from)}${to ? ` --to ${shellWord(to)}` : ""}`;

export const historyCli = {
  chainHistory: (name: string, from: string, to: string | null) =>
    `sextant history chain ${shellWord(name)} ${between(from, to)}`,
  hostHistory: (host: string, from: string, to: string | null) =>
    `sextant history host ${shellWord(host)} ${between(from, to)}`,
  coreHistory: (host: string, core: number, from: string, to: string | null) =>
    `sextant history host ${shellWord(host)} --core ${core} ${between(from, to)}`,
  nfHistory: (nf: string, from: string, to: string | null) =>
    `sextant history nf ${shellWord(nf)} ${between(from, to)}`,
  hostThen: (at: string, host: string) => `sextant history fleet ${shellWord(at)} --host ${shellWord(host)}`,
  chainThen: (at: string, chain: string) => `sextant history fleet ${shellWord(at)} --chain ${shellWord(chain)}`,
  fleetThen: (at: string) => `sextant history fleet ${shellWord(at)}`,
  compareMoments: (before: string, after: string) => `sextant history compare ${shellWord(before)} ${shellWord(after)}`,
  historySize: () => "sextant history size",
  historyMarks: (from: string, to: string | null) => `sextant history marks ${between(from, to)}`,
} as const;
