/** What an operator types into the adjust panel, against what the chain has: only the difference is sent. Pure. */

import type { ChainChange, ChainSpec, FieldError } from "@/api/types";
import { numberReader } from "./numbers";
import { MAX_RATE } from "./traffic-figures";

export type Execution = ChainSpec["execution"];
export type CpuSetting = "cpu_share" | "cpu_quota_percent";

/** What was typed, by the API's paths (`traffic.rate_mpps`, `nfs.router.cpu_share`); what is not in it is as it was. */
export type Edits = Readonly<Record<string, string>>;

export const RATE = "traffic.rate_mpps";
export const EXECUTION = "execution";

export function cpuPath(nf: string, setting: CpuSetting): string {
  return `nfs.${nf}.${setting}`;
}

/** What a field shows: what was typed, or what the chain has; empty for a CPU setting that it has not. */
export function shownText(spec: ChainSpec, edits: Edits, path: string): string {
  return edits[path] ?? presentText(spec, path);
}

function presentText(spec: ChainSpec, path: string): string {
  if (path === RATE) return String(spec.traffic.rate_mpps);
  if (path === EXECUTION) return spec.execution;
  const [, name, setting] = path.split(".");
  const nf = spec.nfs.find((each) => each.name === name);
  const value = nf?.[setting as CpuSetting];
  return value == null ? "" : String(value);
}

export interface Adjustment {
  /** Null where nothing differs, or something is wrong. */
  readonly change: ChainChange | null;
  readonly errors: readonly FieldError[];
}

const RULES = {
  cpu_share: { least: 1, most: 10_000, whole: true },
  cpu_quota_percent: { least: 1, most: 100 },
} as const;

/** What would be sent, or what is wrong. */
export function adjustmentOf(spec: ChainSpec, edits: Edits): Adjustment {
  const errors: FieldError[] = [];
  const number = numberReader((field, message) => errors.push({ field, message }));
  const differs = (path: string) => edits[path] !== undefined && edits[path]?.trim() !== presentText(spec, path);
  const nfs: ChainChange["nfs"] = {};
  for (const { name } of spec.nfs) {
    for (const setting of ["cpu_share", "cpu_quota_percent"] as const) {
      const path = cpuPath(name, setting);
      const text = edits[path]?.trim();
      if (text === undefined || !differs(path)) continue;
      nfs[name] = { ...nfs[name], [setting]: text === "" ? null : number(path, text, RULES[setting]) };
    }
  }
  const change: ChainChange = { nfs };
  if (differs(RATE)) {
    change.traffic = { ...spec.traffic, rate_mpps: number(RATE, edits[RATE] ?? "", { least: 0, most: MAX_RATE }) };
  }
  if (differs(EXECUTION)) change.execution = edits[EXECUTION] as Execution;
  errors.push(...sharedProcess(spec, edits));
  const nothing = Object.keys(nfs).length === 0 && !change.traffic && !change.execution;
  return { change: nothing || errors.length > 0 ? null : change, errors };
}

/** NFs that share a process share its CPU time: the console refuses it, and so it is said while it is typed. */
function sharedProcess(spec: ChainSpec, edits: Edits): FieldError[] {
  if (shownText(spec, edits, EXECUTION) === "isolated") return [];
  const paths = spec.nfs.flatMap(({ name }) => [cpuPath(name, "cpu_share"), cpuPath(name, "cpu_quota_percent")]);
  return paths
    .filter((path) => shownText(spec, edits, path).trim() !== "")
    .map((field) => ({ field, message: "NFs that share a process share its CPU time: leave it empty" }));
}

/** The same as options of `sextant chains adjust`. */
export function adjustOptions(change: ChainChange): string {
  const parts: string[] = [];
  if (change.traffic) parts.push(`--rate-mpps ${change.traffic.rate_mpps}`);
  if (change.execution) parts.push(`--execution ${change.execution}`);
  if (change.paused != null) parts.push(change.paused ? "--pause" : "--resume");
  for (const [name, nf] of Object.entries(change.nfs ?? {})) {
    const share = nf.cpu_share === undefined ? "" : (nf.cpu_share ?? "none");
    const quota = nf.cpu_quota_percent === undefined ? "" : `:${nf.cpu_quota_percent ?? "none"}`;
    parts.push(`--cpu ${name}=${share}${quota}`);
  }
  return parts.map((part) => ` ${part}`).join("");
}
