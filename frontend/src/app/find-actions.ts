/** What the palette can do to a thing that is named behind the verb: "drain sim-1". Pure. */

import type { Role } from "@/api/types";
import type { LiveState } from "@/live/state";
import { mayRole, type Permission } from "@/session/permission";
import type { Found } from "./find";

interface Verb {
  readonly verb: string;
  readonly note: string;
  readonly permission: Permission;
  /** Names of what it can be done to, and where. */
  readonly of: (state: LiveState) => Iterable<readonly [name: string, href: string]>;
}

const VERBS: readonly Verb[] = [
  { verb: "Drain", note: "on the host's page", permission: "hosts.maintain", of: hostPages },
  { verb: "Cordon", note: "on the host's page", permission: "hosts.maintain", of: hostPages },
  { verb: "Re-place", note: "on the host's page", permission: "plans.apply", of: hostPages },
  { verb: "Migrate", note: "choose a core on its host's picture", permission: "plans.apply", of: nfMoves },
];

/** Those that begin as the text does, at most `limit`; none for a text that is no beginning of a verb's line. */
export function actionsOn(query: string, state: LiveState, role: Role | undefined, limit: number): Found[] {
  const wanted = query.trim().toLowerCase();
  const found: Found[] = [];
  for (const { verb, note, permission, of } of VERBS) {
    const head = `${verb.toLowerCase()} `;
    const named = wanted.startsWith(head) ? wanted.slice(head.length) : "";
    if (wanted === "" || !(wanted.startsWith(head) || head.startsWith(wanted)) || !mayRole(role, permission)) continue;
    for (const [name, href] of of(state)) {
      if (found.length === limit) return found;
      if (!name.toLowerCase().includes(named)) continue;
      found.push({ id: `${verb}-${name}`, kind: "action", text: `${verb} ${name}`, note, href, permission });
    }
  }
  return found;
}

function* hostPages(state: LiveState): Generator<readonly [string, string]> {
  for (const id of state.hosts.keys()) yield [id, `/hosts/${id}`];
}

function* nfMoves(state: LiveState): Generator<readonly [string, string]> {
  for (const [host, nfs] of state.nfs) {
    for (const id of nfs.keys()) yield [id, `/hosts/${host}?move=${encodeURIComponent(id)}`];
  }
}
