/** What an operator types into the adjust panel, against what the chain has: only the difference is sent. Pure. */

import type { ChainChange, ChainSpec, FieldError, NfType } from "@/api/types";
import { numberReader } from "@/lib/numbers";
import { QUOTA_PATHS, quotaBoundText, readQuotaBounds } from "./quota-bounds";
import { MAX_RATE } from "./traffic-figures";

export type Execution = ChainSpec["execution"];
export type ShareLaw = NonNullable<NonNullable<ChainSpec["share_bounds"]>["law"]>;
export type CpuSetting = "cpu_share" | "cpu_quota_percent";

/** What was typed, by the API's paths (`traffic.rate_mpps`, `nfs.router.cpu_share`); what is not in it is as it was. */
export type Edits = Readonly<Record<string, string>>;

export const RATE = "traffic.rate_mpps";
export const EXECUTION = "execution";
export const BOUNDS = "share_bounds";
export const LEAST_SHARE = `${BOUNDS}.least_percent`;
export const MOST_SHARE = `${BOUNDS}.most_percent`;
export const SHARE_LAW = `${BOUNDS}.law`;
export const QUEUE_MATCHING: ShareLaw = "queue-matching";

export function cpuPath(nf: string, setting: CpuSetting): string {
  return `nfs.${nf}.${setting}`;
}

export function configPath(nf: string, setting: string): string {
  return `nfs.${nf}.config.${setting}`;
}

/** What NFs take up of their configuration while they run: by type, each setting with its default. */
export type Changeable = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

const NOTHING: Changeable = new Map();

/** As the schemas of the catalogue mark it. */
export function changeableOf(types: readonly NfType[]): Changeable {
  return new Map(types.map(({ name, config_schema }) => [name, markedIn(config_schema)]));
}

function markedIn(schema: NfType["config_schema"]): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Record<string, { changeable?: boolean; default?: unknown }> };
  const marked = Object.entries(properties).filter(([, property]) => property.changeable);
  return Object.fromEntries(marked.map(([setting, property]) => [setting, property.default]));
}

/** What a field shows: what was typed, or what the chain has; empty for a CPU setting that it has not. */
export function shownText(spec: ChainSpec, edits: Edits, path: string, changeable = NOTHING): string {
  return edits[path] ?? presentText(spec, path, changeable);
}

function presentText(spec: ChainSpec, path: string, changeable: Changeable): string {
  if (path === RATE) return String(spec.traffic.rate_mpps);
  if (path === EXECUTION) return spec.execution;
  if (path === LEAST_SHARE) return String(spec.share_bounds?.least_percent ?? "");
  if (path === MOST_SHARE) return String(spec.share_bounds?.most_percent ?? "");
  if (path === SHARE_LAW) return spec.share_bounds?.law ?? QUEUE_MATCHING;
  const quotaBound = quotaBoundText(spec, path);
  if (quotaBound !== null) return quotaBound;
  const [, name, setting, inner] = path.split(".");
  const nf = spec.nfs.find((each) => each.name === name);
  if (nf && setting === "config" && inner) return jsonText(nf.config?.[inner] ?? changeable.get(nf.type)?.[inner]);
  const value = nf?.[setting as CpuSetting];
  return value == null ? "" : String(value);
}

/** JSON with an entry of a list a line. */
function jsonText(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value);
  return `[\n${value.map((entry) => JSON.stringify(entry)).join(",\n")}\n]`;
}

export interface Adjustment {
  /** Null where nothing differs, or something is wrong. */
  readonly change: ChainChange | null;
  readonly errors: readonly FieldError[];
}

export const CPU_RULES = {
  cpu_share: { least: 1, most: 10_000, whole: true },
  cpu_quota_percent: { least: 1, most: 100 },
} as const;

/** What would be sent, or what is wrong. */
export function adjustmentOf(spec: ChainSpec, edits: Edits, changeable = NOTHING): Adjustment {
  const errors: FieldError[] = [];
  const number = numberReader((field, message) => errors.push({ field, message }));
  const differs = (path: string) =>
    edits[path] !== undefined && edits[path]?.trim() !== presentText(spec, path, changeable);
  const nfs: ChainChange["nfs"] = {};
  for (const { name, type } of spec.nfs) {
    for (const setting of Object.keys(changeable.get(type) ?? {})) {
      const path = configPath(name, setting);
      const value = differs(path) ? readJson(edits[path] ?? "", path, errors) : undefined;
      if (value === undefined || JSON.stringify(value) === JSON.stringify(presentOf(spec, path, changeable))) continue;
      nfs[name] = { ...nfs[name], config: { ...nfs[name]?.config, [setting]: value } };
    }
    for (const setting of ["cpu_share", "cpu_quota_percent"] as const) {
      const path = cpuPath(name, setting);
      const text = edits[path]?.trim();
      if (text === undefined || !differs(path)) continue;
      nfs[name] = { ...nfs[name], [setting]: text === "" ? null : number(path, text, CPU_RULES[setting]) };
    }
  }
  const change: ChainChange = { nfs };
  if (differs(RATE)) {
    change.traffic = { ...spec.traffic, rate_mpps: number(RATE, edits[RATE] ?? "", { least: 0, most: MAX_RATE }) };
  }
  if (differs(EXECUTION)) change.execution = edits[EXECUTION] as Execution;
  if ([LEAST_SHARE, MOST_SHARE, SHARE_LAW].some(differs)) {
    const bounds = readBounds(spec, edits, number, errors);
    if (bounds ?? spec.share_bounds) change.share_bounds = bounds;
  }
  if (QUOTA_PATHS.some(differs)) {
    change.quota_bounds = readQuotaBounds((path) => shownText(spec, edits, path), number, errors);
  }
  errors.push(...sharedProcess(spec, edits));
  const nothing = Object.keys(nfs).length === 0 && Object.keys(change).length === 1;
  return { change: nothing || errors.length > 0 ? null : change, errors };
}

/** Null where both fields are empty: the host leaves CPU shares as they are ordered. */
function readBounds(
  spec: ChainSpec,
  edits: Edits,
  number: ReturnType<typeof numberReader>,
  errors: FieldError[],
): NonNullable<ChainChange["share_bounds"]> | null {
  const [least, most] = [LEAST_SHARE, MOST_SHARE].map((path) => shownText(spec, edits, path).trim());
  if (!least && !most) return null;
  const law = shownText(spec, edits, SHARE_LAW) as ShareLaw;
  const bounds = {
    least_percent: number(LEAST_SHARE, least ?? "", SHARE_RULE),
    most_percent: number(MOST_SHARE, most ?? "", SHARE_RULE),
    ...(law === QUEUE_MATCHING ? {} : { law }),
  };
  if (errors.every(({ field }) => !field.startsWith(BOUNDS)) && bounds.least_percent > bounds.most_percent) {
    errors.push({ field: LEAST_SHARE, message: `more than the most, ${bounds.most_percent}` });
  }
  return bounds;
}

const SHARE_RULE = { least: 1, most: 100, whole: true } as const;

function presentOf(spec: ChainSpec, path: string, changeable: Changeable): unknown {
  return JSON.parse(presentText(spec, path, changeable));
}

/** Null for the default where nothing is typed; undefined, and an error, where it is no JSON. */
function readJson(text: string, field: string, errors: FieldError[]): unknown {
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch (error) {
    errors.push({ field, message: error instanceof Error ? error.message : "this is not valid JSON" });
    return undefined;
  }
}

export const SHARED_PROCESS = "NFs that share a process share its CPU time: leave it empty";

/** NFs that share a process share its CPU time: the console refuses it, and so it is said while it is typed. */
function sharedProcess(spec: ChainSpec, edits: Edits): FieldError[] {
  if (shownText(spec, edits, EXECUTION) === "isolated") return [];
  const ofNfs = spec.nfs.flatMap(({ name }) => [cpuPath(name, "cpu_share"), cpuPath(name, "cpu_quota_percent")]);
  const paths = [...ofNfs, LEAST_SHARE, MOST_SHARE, ...QUOTA_PATHS];
  return paths
    .filter((path) => shownText(spec, edits, path).trim() !== "")
    .map((field) => ({ field, message: SHARED_PROCESS }));
}
