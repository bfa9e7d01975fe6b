/** What the list of the audit log is narrowed to, as the address and the API say it. Pure. */

import { AUDIT_SORTS, type AuditSort, sortIn } from "@/api/sorts";
import { shellWord } from "@/session/shell-word";

export interface AuditFilter {
  readonly actor?: string;
  /** `plan.apply`, or all of a kind: `plan`. */
  readonly action?: string;
  /** Kind of the object. */
  readonly kind?: string;
  /** Its id or name. */
  readonly object?: string;
  readonly request?: string;
  /** Moments, with their time zone. */
  readonly since?: string;
  readonly until?: string;
  /** Newest first without it. */
  readonly sort?: AuditSort;
}

export const OBJECT_KINDS = [
  "artefact",
  "automation",
  "chain",
  "comparison",
  "demo",
  "fit",
  "gateway",
  "host",
  "machine",
  "nf-type",
  "operation",
  "plan",
  "policy",
  "profiling",
  "recommendation",
  "request",
  "study",
  "user",
] as const;

const TEXTS = ["actor", "action", "object", "request"] as const;

export function auditFilter(raw: Record<string, unknown>): AuditFilter {
  const texts = TEXTS.map((name) => [name, typeof raw[name] === "string" ? raw[name].slice(0, 200) : ""] as const);
  const times = (["since", "until"] as const).map((name) => [name, momentFrom(raw[name])] as const);
  const kind = OBJECT_KINDS.find((one) => one === raw.kind);
  const sort = sortIn(raw.sort, AUDIT_SORTS);
  return Object.fromEntries([...texts, ...times, ["kind", kind], ["sort", sort]].filter(([, value]) => value));
}

function momentFrom(raw: unknown): string | undefined {
  const time = typeof raw === "string" ? Date.parse(raw) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

export function isFiltered(filter: AuditFilter): boolean {
  return Object.keys(filter).some((name) => name !== "sort");
}

/** As the API names them. Text that is being written may end in a space. */
export function auditParams({ kind, request, ...same }: AuditFilter) {
  const given = { ...same, object_kind: kind, request_id: request };
  const trimmed = Object.entries(given).map(([name, value]) => [name, value?.trim()] as const);
  return Object.fromEntries(trimmed.filter(([, value]) => value)) as {
    actor?: string;
    action?: string;
    object_kind?: string;
    object?: string;
    request_id?: string;
    since?: string;
    until?: string;
    sort?: AuditSort;
  };
}

const OPTIONS = {
  actor: "--actor",
  action: "--action",
  object_kind: "--object-kind",
  object: "--object",
  request_id: "--request",
  since: "--since",
  until: "--until",
  sort: "--sort",
} as const;

export function auditCommand(filter: AuditFilter): string {
  const params = auditParams(filter);
  const given = (Object.keys(OPTIONS) as (keyof typeof OPTIONS)[]).flatMap((name) => {
    const value = params[name];
    return value ? [`${OPTIONS[name]} ${shellWord(value)}`] : [];
  });
  return ["sextant audit", ...given].join(" ");
}

/** Of an input for a moment of this place, "2026-03-01T09:00"; "" for none. */
export function localInput(iso: string | undefined): string {
  if (!iso) return "";
  const time = new Date(iso);
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
