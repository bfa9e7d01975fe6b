/** What the palette can find and do, ranked. Pure. */

import type { NfType, Role } from "@/api/types";
import { DEFAULT_LAYER, LAYERS, type Layer } from "@/fleet/layers";
import { aMomentAgo } from "@/history/moment-search";
import type { LiveState } from "@/live/state";
import { mayRole, type Permission } from "@/session/permission";
import { chainLook, jobLook, planLook, studyLook } from "@/states/derived";
import { actionsOn } from "./find-actions";

export interface Found {
  readonly id: string;
  readonly kind:
    | "page"
    | "action"
    | "host"
    | "chain"
    | "NF"
    | "NF type"
    | "plan"
    | "operation"
    | "profiling job"
    | "study";
  readonly text: string;
  readonly note: string;
  /** Address, with search parameters. */
  readonly href: string;
  /** It is no page of this application: the browser loads it. */
  readonly outside?: true;
  /** It is done at once, and no page opens. */
  readonly does?: "switch-theme";
  /** Other words that find it. */
  readonly words?: string;
  /** Who lacks it does not find the entry. */
  readonly permission?: Permission;
}

const PAGES: readonly Found[] = [
  { id: "page-fleet", kind: "page", text: "Fleet", note: "heat map", href: "/" },
  { id: "page-table", kind: "page", text: "Fleet as a table", note: "every core", href: "/?view=table" },
  { id: "page-chains", kind: "page", text: "Chains", note: "", href: "/chains" },
  { id: "page-nf-types", kind: "page", text: "NF types", note: "profiles, models, trust", href: "/nf-types" },
  { id: "page-plans", kind: "page", text: "Plans", note: "", href: "/plans" },
  {
    id: "page-compare",
    kind: "page",
    text: "Compare algorithms",
    note: "on the fleet, or on a file",
    href: "/plans/compare",
  },
  {
    id: "page-artefacts",
    kind: "page",
    text: "Artefacts",
    note: "patterns, routes, rules, traces",
    href: "/artefacts",
  },
  { id: "page-operations", kind: "page", text: "Operations", note: "", href: "/operations" },
  { id: "page-profiling", kind: "page", text: "Profiling", note: "jobs", href: "/profiling", words: "profile measure" },
  {
    id: "page-automation",
    kind: "page",
    text: "Automation",
    note: "control laws, policies",
    href: "/automation",
    words: "policy policies law maintenance windows",
  },
  {
    id: "page-numasfp",
    kind: "page",
    text: "NUMASFP",
    note: "ways, bandwidth and nodes of chains, by host",
    href: "/automation?tab=numasfp",
  },
  {
    id: "page-coco",
    kind: "page",
    text: "CoCo",
    note: "NFs that share cores, neighbours pushed aside, by host",
    href: "/automation?tab=coco",
  },
  {
    id: "page-srv6",
    kind: "page",
    text: "SRv6-INT",
    note: "chains in as many lanes as they need, by host",
    href: "/automation?tab=srv6",
  },
  { id: "page-alerts", kind: "page", text: "Alerts", note: "what is wrong, silences, rules", href: "/alerts" },
  { id: "page-studies", kind: "page", text: "Studies", note: "on simulated servers", href: "/studies" },
  { id: "page-audit", kind: "page", text: "Audit", note: "who did what", href: "/audit" },
  { id: "action-theme", kind: "action", text: "Theme", note: "dark or light", href: "", does: "switch-theme" },
  { id: "action-new", kind: "action", text: "New chain", note: "N", href: "/chains/new" },
  {
    id: "action-register",
    kind: "action",
    text: "Register NF type",
    note: "a built-in program with your own defaults",
    href: "/register-nf-type",
  },
  {
    id: "action-study",
    kind: "action",
    text: "New study",
    note: "placements or predictions on simulated servers",
    href: "/studies/new",
  },
  {
    id: "page-users",
    kind: "page",
    text: "Users",
    note: "roles, password resets",
    href: "/users",
    permission: "users.manage",
  },
  { id: "page-account", kind: "page", text: "My account", note: "sessions, API tokens, password", href: "/account" },
  { id: "page-tokens", kind: "page", text: "Tokens", note: "of the API, my account", href: "/account" },
  {
    id: "page-api",
    kind: "page",
    text: "API reference",
    note: "every endpoint, field and schema",
    href: "/docs",
    outside: true,
  },
  ...LAYERS.map(layerEntry),
];

function historyEntry(): Found {
  const href = `/?at=${encodeURIComponent(aMomentAgo())}`;
  return { id: "page-history", kind: "page", text: "History", note: "the fleet as it was", href, words: "past replay" };
}

function layerEntry({ key, title, keys }: Layer): Found {
  // "CPU" and "LLC misses" are written so, "Utilisation" only where a sentence begins.
  const name = /^[A-Z][a-z]/.test(title) ? title.charAt(0).toLowerCase() + title.slice(1) : title;
  return {
    id: `layer-${key}`,
    kind: "action",
    text: `Show ${name}`,
    note: `fleet, key ${keys.map((each) => each.toUpperCase()).join(" or ")}`,
    href: key === DEFAULT_LAYER ? "/" : `/?layer=${key}`,
  };
}

/** At most `limit` entries: names that start with the text first, then those that contain it. */
export function findEntries(
  query: string,
  state: LiveState,
  nfTypes: readonly Pick<NfType, "name" | "summary">[] = [],
  role?: Role,
  limit = 12,
): Found[] {
  const wanted = query.trim().toLowerCase();
  const starts: Found[] = [];
  const contains: Found[] = [];
  const consider = (name: string, make: () => Found) => {
    const at = name.toLowerCase().indexOf(wanted);
    if (at === 0 && starts.length < limit) starts.push(make());
    else if (at > 0 && contains.length < limit) contains.push(make());
  };
  const open = [...PAGES, historyEntry()].filter(
    ({ permission }) => permission === undefined || mayRole(role, permission),
  );
  for (const entry of open) consider(entry.words ? `${entry.text} ${entry.words}` : entry.text, () => entry);
  if (wanted === "") return starts;
  for (const chain of state.chains.values()) {
    const { name } = chain.spec;
    consider(name, () => ({
      id: `chain-${name}`,
      kind: "chain",
      text: name,
      note: chainLook(chain).words,
      href: `/chains/${name}`,
    }));
  }
  for (const id of state.hosts.keys()) {
    consider(id, () => ({ id: `host-${id}`, kind: "host", text: id, note: "its page", href: `/hosts/${id}` }));
  }
  for (const { name, summary } of nfTypes) {
    consider(name, () => ({
      id: `nf-type-${name}`,
      kind: "NF type",
      text: name,
      note: summary,
      href: `/nf-types/${name}`,
    }));
  }
  findNfs(state, consider);
  for (const plan of state.plans.values()) {
    consider(`plan ${plan.id}`, () => ({
      id: `plan-${plan.id}`,
      kind: "plan",
      text: `Plan ${plan.id}`,
      note: `${plan.subject}, ${planLook({ state: plan.state, source: plan.source }).words}`,
      href: `/plans/${plan.id}`,
    }));
  }
  for (const operation of state.operations.values()) {
    consider(`operation ${operation.id}`, () => ({
      id: `operation-${operation.id}`,
      kind: "operation",
      text: `Operation ${operation.id}`,
      note: operation.title,
      href: `/operations/${operation.id}`,
    }));
  }
  for (const job of state.profiling.values()) {
    const { id, ask } = job;
    consider(`profiling ${id}`, () => ({
      id: `profiling-${id}`,
      kind: "profiling job",
      text: `Profiling ${id}`,
      note: `${ask.nf_type} on ${ask.host}, ${jobLook(job).words}`,
      href: `/profiling/${id}`,
    }));
  }
  for (const study of state.studies.values()) {
    const { id, name } = study;
    consider(`study ${id} ${name}`, () => ({
      id: `study-${id}`,
      kind: "study",
      text: `Study ${id}`,
      note: `${name}, ${studyLook(study).words}`,
      href: `/studies/${id}`,
    }));
  }
  return [...starts, ...actionsOn(query, state, role, limit), ...contains].slice(0, limit);
}

function findNfs(state: LiveState, consider: (name: string, make: () => Found) => void): void {
  for (const [host, nfs] of state.nfs) {
    for (const nf of nfs.values()) {
      const seat = `${host}/${nf.seat.core}/${nf.seat.slot ?? 0}`;
      consider(nf.nf_id, () => ({
        id: `nf-${nf.nf_id}`,
        kind: "NF",
        text: nf.nf_id,
        note: `${host}/${nf.seat.node}/${nf.seat.core}`,
        href: `/?pin=${encodeURIComponent(seat)}`,
      }));
    }
  }
}
