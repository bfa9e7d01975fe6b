/** What the palette can find and do, ranked. Pure. */

import type { ChainView, NfType, NfView, Operation, PlanBrief, ProfilingJob, Role, Study } from "@/api/types";
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
  readonly does?: "switch-theme" | "show-keys" | "sign-out";
  /** Other words that find it. */
  readonly words?: string;
  /** Who lacks it does not find the entry. */
  readonly permission?: Permission;
}

const PAGES: readonly Found[] = [
  { id: "page-fleet", kind: "page", text: "Fleet", note: "heat map", href: "/" },
  { id: "page-table", kind: "page", text: "Fleet as a table", note: "every core", href: "/?view=table" },
  { id: "page-chains", kind: "page", text: "Chains", note: "", href: "/chains" },
  {
    id: "page-nf-types",
    kind: "page",
    text: "NF types",
    note: "profiles, models, trust",
    href: "/nf-types",
    words: "catalogue",
  },
  { id: "page-plans", kind: "page", text: "Plans", note: "", href: "/plans" },
  {
    id: "page-compare",
    kind: "page",
    text: "Compare algorithms",
    note: "on the fleet, or on a file",
    href: "/plans/compare",
    words: "races comparisons ranking save snapshot",
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
    words: "policy policies law maintenance windows recommendations timeline",
  },
  {
    id: "page-octans",
    kind: "page",
    text: "Octans re-placement",
    note: "its policies and recommendations",
    href: "/automation?tab=octans",
  },
  {
    id: "page-shared-cores",
    kind: "page",
    text: "Shared cores",
    note: "costs beside others, how NFs are assigned",
    href: "/automation?tab=sfc2cpu",
    words: "sfc2cpu",
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
  {
    id: "page-alerts",
    kind: "page",
    text: "Alerts",
    note: "what is wrong, silences, rules",
    href: "/alerts",
    words: "silences rules channels notifications deliveries",
  },
  { id: "page-studies", kind: "page", text: "Studies", note: "on simulated servers", href: "/studies" },
  { id: "page-audit", kind: "page", text: "Audit", note: "who did what", href: "/audit" },
  {
    id: "action-theme",
    kind: "action",
    text: "Theme",
    note: "dark or light",
    href: "",
    does: "switch-theme",
    words: "dark light",
  },
  { id: "action-keys", kind: "action", text: "Keys", note: "?", href: "", does: "show-keys", words: "help version" },
  { id: "action-leave", kind: "action", text: "Sign out", note: "", href: "", does: "sign-out" },
  { id: "action-new", kind: "action", text: "New chain", note: "N", href: "/chains/new", words: "import group file" },
  {
    id: "action-host",
    kind: "action",
    text: "Add host",
    note: "on the fleet's page",
    href: "/",
    words: "enrol token",
    permission: "hosts.enrol",
  },
  {
    id: "action-replace",
    kind: "action",
    text: "Re-place fleet",
    note: "on the fleet's page",
    href: "/",
    words: "replace",
    permission: "plans.apply",
  },
  {
    id: "action-stop",
    kind: "action",
    text: "Stop all automation",
    note: "on the page Automation",
    href: "/automation",
    words: "resume",
    permission: "automation.stop",
  },
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
    words: "identity provider",
    permission: "users.manage",
  },
  {
    id: "page-account",
    kind: "page",
    text: "My account",
    note: "sessions, API tokens, password",
    href: "/account",
    words: "sessions password",
  },
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
  const found = new Ranking(wanted, limit);
  const open = [...PAGES, historyEntry()].filter(
    ({ permission }) => permission === undefined || mayRole(role, permission),
  );
  found.consider(
    open,
    (entry) => (entry.words ? `${entry.text} ${entry.words}` : entry.text),
    (entry) => entry,
  );
  if (wanted === "") return found.starts;
  found.consider(state.chains.values(), ({ spec }) => spec.name, chainEntry);
  found.consider(
    state.hosts.keys(),
    (id) => id,
    (id) => ({ id: `host-${id}`, kind: "host", text: id, note: "its page", href: `/hosts/${id}` }),
  );
  found.consider(nfTypes, ({ name }) => name, nfTypeEntry);
  for (const [host, nfs] of state.nfs) {
    found.consider(
      nfs.values(),
      ({ nf_id }) => nf_id,
      (nf) => nfEntry(host, nf),
    );
  }
  found.consider(state.plans.values(), ({ id }) => `plan ${id}`, planEntry);
  found.consider(state.operations.values(), ({ id }) => `operation ${id}`, operationEntry);
  found.consider(state.profiling.values(), ({ id }) => `profiling ${id}`, jobEntry);
  found.consider(state.studies.values(), ({ id, name }) => `study ${id} ${name}`, studyEntry);
  return [...found.starts, ...actionsOn(query, state, role, limit), ...found.contains].slice(0, limit);
}

/** The first of many thousand names that begin with a text, and the first of those that contain it. */
class Ranking {
  readonly starts: Found[] = [];
  readonly contains: Found[] = [];

  constructor(
    private readonly wanted: string,
    private readonly limit: number,
  ) {}

  consider<T>(all: Iterable<T>, nameOf: (one: T) => string, entryOf: (one: T) => Found): void {
    if (this.starts.length === this.limit) return;
    for (const one of all) {
      const at = nameOf(one).toLowerCase().indexOf(this.wanted);
      if (at > 0 && this.contains.length < this.limit) this.contains.push(entryOf(one));
      if (at === 0 && this.starts.push(entryOf(one)) === this.limit) return;
    }
  }
}

function chainEntry(chain: ChainView): Found {
  const { name } = chain.spec;
  return { id: `chain-${name}`, kind: "chain", text: name, note: chainLook(chain).words, href: `/chains/${name}` };
}

function nfTypeEntry({ name, summary }: Pick<NfType, "name" | "summary">): Found {
  return { id: `nf-type-${name}`, kind: "NF type", text: name, note: summary, href: `/nf-types/${name}` };
}

function nfEntry(host: string, { nf_id: id, seat }: NfView): Found {
  const pin = encodeURIComponent(`${host}/${seat.core}/${seat.slot ?? 0}`);
  return { id: `nf-${id}`, kind: "NF", text: id, note: `${host}/${seat.node}/${seat.core}`, href: `/?pin=${pin}` };
}

function planEntry({ id, subject, state, source }: PlanBrief): Found {
  const note = `${subject}, ${planLook({ state, source }).words}`;
  return { id: `plan-${id}`, kind: "plan", text: `Plan ${id}`, note, href: `/plans/${id}` };
}

function operationEntry({ id, title }: Operation): Found {
  return {
    id: `operation-${id}`,
    kind: "operation",
    text: `Operation ${id}`,
    note: title,
    href: `/operations/${id}`,
  };
}

function jobEntry(job: ProfilingJob): Found {
  const { id, ask } = job;
  const note = `${ask.nf_type} on ${ask.host}, ${jobLook(job).words}`;
  return { id: `profiling-${id}`, kind: "profiling job", text: `Profiling ${id}`, note, href: `/profiling/${id}` };
}

function studyEntry(study: Study): Found {
  const { id, name } = study;
  const note = `${name}, ${studyLook(study).words}`;
  return { id: `study-${id}`, kind: "study", text: `Study ${id}`, note, href: `/studies/${id}` };
}
