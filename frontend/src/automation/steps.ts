/** Five steps from manual to automatic, each a mode of the fleet and of one host. Pure. */

import type { PolicyMode } from "@/api/types";

/** Of the law. `host`: its own; null: it has none, the fleet's applies. */
export interface Modes {
  readonly fleet: PolicyMode;
  readonly host: PolicyMode | null;
}

export interface Step {
  readonly text: (host: string) => string;
  readonly effect: (host: string) => string;
  readonly modes: Modes;
  /** It differs from its neighbours on one host only. */
  readonly ofHost: boolean;
}

/** From careful to free: what is tried on one host first, holds for all one step later. */
export const STEPS: readonly Step[] = [
  {
    text: () => "Manual",
    effect: () => "Nothing is recommended on any host.",
    modes: { fleet: "manual", host: null },
    ofHost: false,
  },
  {
    text: (host) => `Recommend on ${host}`,
    effect: (host) => `Changes are recommended on ${host} only; you accept or dismiss them.`,
    modes: { fleet: "manual", host: "recommend" },
    ofHost: true,
  },
  {
    text: () => "Recommend",
    effect: () => "Changes are recommended on every host; you accept or dismiss them.",
    modes: { fleet: "recommend", host: null },
    ofHost: false,
  },
  {
    text: (host) => `Automatic on ${host}`,
    effect: (host) => `Changes are applied at once on ${host}, and recommended on every other host.`,
    modes: { fleet: "recommend", host: "automatic" },
    ofHost: true,
  },
  {
    text: () => "Automatic",
    effect: () => "Changes are applied at once on every host.",
    modes: { fleet: "automatic", host: null },
    ofHost: false,
  },
];

/** The step that stands for these modes, from 0; null for modes that no step sets, such as a host that may do less than
 * the fleet. A host whose own mode is the fleet's is where the fleet is. */
export function stepOf({ fleet, host }: Modes): number | null {
  const own = host === fleet ? null : host;
  const found = STEPS.findIndex(({ modes }) => modes.fleet === fleet && modes.host === own);
  return found === -1 ? null : found;
}

/** What is to be set for a step; null where it is so already. The host's comes first: between the two no host may do more
 * than both steps allow it. */
export interface Changes {
  readonly host: PolicyMode | "clear" | null;
  readonly fleet: PolicyMode | null;
}

export function changesTo(step: number, present: Modes): Changes {
  const wanted = STEPS[step]?.modes;
  if (!wanted) return { fleet: null, host: null };
  return {
    fleet: wanted.fleet === present.fleet ? null : wanted.fleet,
    host: wanted.host === present.host ? null : (wanted.host ?? "clear"),
  };
}

/** Modes that no step stands for, in words. */
export function modesText({ fleet, host }: Modes, name: string): string {
  return host === null ? `the fleet: ${fleet}` : `${name}: ${host}; the fleet: ${fleet}`;
}
