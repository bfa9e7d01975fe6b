/** Letters of the chains in one picture: at most six, in order of value, then name; a chain keeps its letter. Pure. */

import type { ChainView } from "@/api/types";
import { byName } from "@/fleet/groups";

export const LETTERS = ["A", "B", "C", "D", "E", "F"] as const;
export type Letter = (typeof LETTERS)[number];
export type Letters = ReadonlyMap<string, Letter>;

export const NO_LETTERS: Letters = new Map();

/** The chains that have a letter keep it; the others take those left over. The same map where nothing changed. */
export function lettersFor(chains: readonly ChainView[], known: Letters): Letters {
  const living = new Set(chains.map(({ spec }) => spec.name));
  const next = new Map([...known].filter(([name]) => living.has(name)));
  const taken = new Set(next.values());
  const free = LETTERS.filter((letter) => !taken.has(letter));
  const waiting = chains.filter(({ spec }) => !next.has(spec.name)).sort(byValue);
  waiting.slice(0, free.length).forEach(({ spec }, index) => {
    next.set(spec.name, free[index] as Letter);
  });
  const same = next.size === known.size && [...next].every(([name, letter]) => known.get(name) === letter);
  return same ? known : next;
}

function byValue(a: ChainView, b: ChainView): number {
  return b.spec.value - a.spec.value || byName(a.spec.name, b.spec.name);
}

/** Chains with a letter first, by letter; then the others by name. */
export function inLetterOrder(letters: Letters): (a: string, b: string) => number {
  const rank = (name: string) => letters.get(name) ?? "~";
  return (a, b) => (rank(a) < rank(b) ? -1 : rank(a) > rank(b) ? 1 : byName(a, b));
}
