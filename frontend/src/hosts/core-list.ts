/** Lists of cores as people write them, `3,5-7`, and what an edit of the reserved ones would change. Pure. */

import type { HostView } from "@/api/types";
import { coresForNfs, reservedText } from "@/capabilities/cores";

/** Highest core number that the console takes. */
const MOST = 65_535;
const PART = /^(\d{1,5})(?:-(\d{1,5}))?$/;

export interface CoreEdit {
  /** Null where the text is wrong. */
  readonly cores: readonly number[] | null;
  readonly error: string | null;
  readonly added: readonly number[];
  readonly removed: readonly number[];
  /** What NFs may have then; empty where the text is wrong. */
  readonly left: readonly number[];
}

/** `[0, 1, 2, 5]` as "0-2,5". */
export function ranges(cores: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const core of [...cores].sort((a, b) => a - b)) {
    const last = parts.at(-1);
    if (last && core === last[1] + 1) last[1] = core;
    else parts.push([core, core]);
  }
  return parts.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

export function editOf(host: HostView, text: string): CoreEdit {
  const now = host.reserved_cores.map(({ core }) => core);
  const known = host.inventory?.cores ?? [];
  const wrong = (error: string): CoreEdit => ({ cores: null, error, added: [], removed: [], left: [] });
  const cores = parsed(text);
  if (typeof cores === "string") return wrong(cores);
  const added = cores.filter((core) => !now.includes(core));
  for (const number of added) {
    const core = known.find(({ id }) => id === number);
    if (!core) return wrong(`${host.host_id} has no core ${number}`);
    if (core.reserved_for) return wrong(`core ${number} is ${reservedText(core.reserved_for)} by its agent`);
  }
  const after = known.map((core) => {
    const agents = core.reserved_for === "operator" ? null : core.reserved_for;
    return { ...core, reserved_for: agents ?? (cores.includes(core.id) ? ("operator" as const) : null) };
  });
  const left = coresForNfs(after);
  if (added.length > 0 && left.length === 0)
    return wrong("no core would be left for NFs; cordon the host if none shall start here");
  return { cores, error: null, added, removed: now.filter((core) => !cores.includes(core)), left };
}

/** The cores, by number; or what is wrong. */
function parsed(text: string): number[] | string {
  const cores = new Set<number>();
  for (const part of text.trim() === "" ? [] : text.split(",")) {
    const found = PART.exec(part.trim());
    if (!found) return `"${part.trim()}" is no core and no range of cores; an example: 3,5-7`;
    const first = Number(found[1]);
    const last = Number(found[2] ?? found[1]);
    if (last < first || last > MOST) return `"${part.trim()}" is no range of cores: the lowest first, at most ${MOST}`;
    for (let core = first; core <= last; core += 1) cores.add(core);
  }
  return [...cores].sort((a, b) => a - b);
}
