/** The chain form's content and its checks. Paths of errors are those of the API, so both kinds look alike. Pure. */

import type { AntiAffinity, ChainSpec, FieldError, NfType } from "@/api/types";
import type { Scope } from "@/fleet/anti-affinity";
import { type NumberRule, numberReader } from "@/lib/numbers";
import { type Prefix, readPrefix } from "@/lib/prefix";
import { type Config, isReference, parseConfig, secretSettings, withSetting } from "@/nf-types/config";
import { CPU_RULES, type CpuSetting, type Execution, SHARED_PROCESS } from "./adjust";
import { checkPath, hostsWithout, inParts, pathOf, type Run, runsOf, withHostsOf } from "./draft-path";
import { checkTraffic, EMPTY_TRAFFIC, type TrafficDraft } from "./traffic-draft";
import { type HeaderKind, MAX_RATE } from "./traffic-figures";

export interface DraftNf {
  /** Stable while the form is open, whatever is renamed or moved. */
  readonly key: string;
  readonly type: string;
  readonly name: string;
  /** JSON; empty for the type's defaults. */
  readonly config: string;
  /** Values of its type's secret settings, each empty where none is given; sent, and kept nowhere. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Empty: 100, as whatever names none. */
  readonly cpuShare: string;
  /** Percent of its core; empty: all. */
  readonly cpuQuota: string;
  /** The tie that makes it one element with NFs of other chains; empty, or left out: none. */
  readonly tied?: string;
  /** From this NF on the chain stands on another host; empty, or left out: on that of the NF before. Of the first NF
   *  that is the ingress's. */
  readonly host?: string;
}

export interface Draft extends TrafficDraft {
  readonly name: string;
  readonly nfs: readonly DraftNf[];
  readonly execution: Execution;
  readonly minThroughput: string;
  readonly maxP95: string;
  readonly value: string;
  /** Of anti-affinity; empty: none. */
  readonly group: string;
  readonly scope: Scope;
  readonly host: string;
  readonly srcPrefix: string;
  readonly dstPrefix: string;
  readonly protocol: "udp" | "tcp";
  readonly dstPort: string;
}

export const EMPTY_DRAFT: Draft = {
  ...EMPTY_TRAFFIC,
  name: "",
  nfs: [],
  execution: "isolated",
  minThroughput: "",
  maxP95: "",
  value: "1",
  group: "",
  scope: "host",
  host: "",
  srcPrefix: "10.0.0.0/8",
  dstPrefix: "192.168.0.0/16",
  protocol: "udp",
  dstPort: "",
};

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
export const NAME_RULE = "lower case, digits and hyphens, 1 to 63 characters";
export const MAX_NFS = 32;

export interface Checked {
  readonly spec: ChainSpec | null;
  /** Over several hosts: the chains that are submitted in its place, a host each. */
  readonly parts: readonly ChainSpec[];
  readonly errors: readonly FieldError[];
}

/** What would be sent, or what is wrong. */
export function check(draft: Draft): Checked {
  const errors: FieldError[] = [];
  const wrong = (field: string, message: string) => errors.push({ field, message });
  const number = numberReader(wrong);
  const optional = (field: string, text: string, rule: NumberRule) =>
    text.trim() === "" ? null : number(field, text, rule);

  if (!NAME.test(draft.name)) wrong("name", draft.name === "" ? "a name is needed" : NAME_RULE);
  if (draft.nfs.length === 0) wrong("nfs", "add at least one NF");
  if (draft.nfs.length > MAX_NFS) wrong("nfs", `a chain has 1 to ${MAX_NFS} NFs, not ${draft.nfs.length}`);
  const nfs = draft.nfs.map((nf, index) => checkNf(nf, index, draft, wrong));
  const prefixes = checkPrefixes(draft, wrong);
  if (draft.host !== "" && !NAME.test(draft.host)) wrong("ingress.host", NAME_RULE);
  const { wanted: antiAffinity, error: wrongGroup } = checkGroup(draft.group, draft.scope);
  if (wrongGroup) wrong("anti_affinity.group", wrongGroup);
  const runs = runsOf(draft);
  checkPath(runs, wrong);
  const { traffic, errors: inTraffic } = checkTraffic(draft, headersOf(draft));
  errors.push(...inTraffic);
  const rest: Omit<ChainSpec, "traffic"> = {
    name: draft.name,
    nfs,
    ingress: {
      host: draft.host === "" ? null : draft.host,
      port: null,
      match: {
        ...prefixes,
        protocol: draft.protocol,
        dst_port: optional("ingress.match.dst_port", draft.dstPort, { least: 1, most: 65535, whole: true }),
      },
    },
    egress: { host: null, port: null },
    execution: draft.execution,
    paused: false,
    slo: {
      min_throughput_mpps: optional("slo.min_throughput_mpps", draft.minThroughput, { above: 0, most: MAX_RATE }),
      max_p95_ms: optional("slo.max_p95_ms", draft.maxP95, { above: 0, most: 60_000 }),
    },
    value: number("value", draft.value, { above: 0, most: 1_000_000 }),
    ...(antiAffinity && { anti_affinity: antiAffinity }),
  };
  const spec = errors.length === 0 && traffic ? { ...rest, traffic } : null;
  return { spec, parts: spec && runs.length > 1 ? inParts(spec, runs) : [], errors };
}

/** In canonical form; both of one address family. */
function checkPrefixes(
  { srcPrefix, dstPrefix }: Draft,
  wrong: (field: string, message: string) => void,
): { src_prefix: string; dst_prefix: string } {
  const [src, dst] = [readPrefix(srcPrefix), readPrefix(dstPrefix)];
  if (typeof src === "string") wrong("ingress.match.src_prefix", src);
  if (typeof dst === "string") wrong("ingress.match.dst_prefix", dst);
  else if (typeof src !== "string" && src.version !== dst.version) {
    wrong(
      "ingress.match.dst_prefix",
      `a match has one address family: write IPv${src.version} here too, and submit a second chain for IPv${dst.version}`,
    );
  }
  return { src_prefix: textOf(src), dst_prefix: textOf(dst) };
}

function textOf(read: Prefix | string): string {
  return typeof read === "string" ? "" : read.text;
}

/** What its packets begin with; IPv4's while the source is no prefix. */
export function headersOf({ protocol, srcPrefix }: Draft): HeaderKind {
  const src = readPrefix(srcPrefix);
  return { protocol, version: typeof src === "string" ? 4 : src.version };
}

/** The anti-affinity group that is wanted, null where the name is empty; or what is wrong with the name. */
export function checkGroup(group: string, scope: Scope): { wanted: AntiAffinity | null; error?: string } {
  const name = group.trim();
  if (name === "") return { wanted: null };
  return NAME.test(name) ? { wanted: { group: name, scope } } : { wanted: null, error: NAME_RULE };
}

function checkNf(
  nf: DraftNf,
  index: number,
  { nfs: all, execution }: Draft,
  wrong: (field: string, message: string) => void,
): ChainSpec["nfs"][number] {
  if (!NAME.test(nf.name)) wrong(`nfs.${index}.name`, nf.name === "" ? "a name is needed" : NAME_RULE);
  else if (all.slice(0, index).some((other) => other.name === nf.name)) {
    wrong(`nfs.${index}.name`, `'${nf.name}' is used twice in this chain`);
  }
  const config = withSecrets(nf, `nfs.${index}.config`, wrong);
  const number = numberReader(wrong);
  const cpu = (setting: CpuSetting, text: string) => {
    if (text.trim() === "") return null;
    const field = `nfs.${index}.${setting}`;
    if (execution !== "isolated") wrong(field, SHARED_PROCESS);
    return number(field, text, CPU_RULES[setting]);
  };
  return {
    type: nf.type,
    name: nf.name,
    config,
    cpu_share: cpu("cpu_share", nf.cpuShare),
    cpu_quota_percent: cpu("cpu_quota_percent", nf.cpuQuota),
    ...tieOf(nf, index, all, wrong),
  };
}

/** Nothing where it has none, as ties are left out of specifications without one. */
function tieOf(
  nf: DraftNf,
  index: number,
  all: readonly DraftNf[],
  wrong: (field: string, message: string) => void,
): { tied?: string } {
  const tie = nf.tied?.trim() ?? "";
  if (tie === "") return {};
  if (!NAME.test(tie)) wrong(`nfs.${index}.tied`, NAME_RULE);
  else if (all.slice(0, index).some((other) => other.tied?.trim() === tie)) {
    wrong(`nfs.${index}.tied`, `two NFs of this chain name '${tie}'; a tie joins NFs of other chains`);
  }
  return { tied: tie };
}

/** The configuration with its secrets, which have fields of their own: the text is kept in the tab, and copied. */
function withSecrets(nf: DraftNf, at: string, wrong: (field: string, message: string) => void): Config {
  const config = parseConfig(nf.config, at, wrong);
  for (const name of Object.keys(nf.secrets ?? {})) {
    const written = config[name];
    if (typeof written === "string" && !isReference(written)) {
      wrong(`${at}.${name}`, "remove it from the configuration, which is stored in this tab, and enter it here");
    }
  }
  const given = Object.entries(nf.secrets ?? {}).filter(([, value]) => value.trim() !== "");
  return { ...config, ...Object.fromEntries(given.map(([name, value]) => [name, value.trim()])) };
}

/** The draft as it may be kept or copied. What is no JSON may hold a secret anywhere, so it goes as a whole. */
export function withoutSecrets(draft: Draft): Draft {
  const nfs = draft.nfs.map((nf) => {
    const names = Object.keys(nf.secrets ?? {});
    if (names.length === 0) return nf;
    return { ...nf, config: withoutWritten(nf.config, names), secrets: emptied(names) };
  });
  return { ...draft, nfs };
}

function withoutWritten(text: string, names: readonly string[]): string {
  let broken = false;
  const config = parseConfig(text, "", () => {
    broken = true;
  });
  if (broken) return "";
  const written = names.filter((name) => typeof config[name] === "string" && !isReference(config[name]));
  return written.length === 0 ? text : written.reduce((left, name) => withSetting(left, name, null), text);
}

function emptied(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, ""]));
}

/** Options that bring the draft's secrets to the command line: each from a file that the operator names. */
export function secretOptions(draft: Draft): string {
  return draft.nfs
    .flatMap((nf) =>
      Object.entries(nf.secrets ?? {}).map(([name, value]) =>
        value === "" ? "" : ` --secret ${nf.name}.${name}=FILE`,
      ),
    )
    .join("");
}

/** A name that no other NF of the chain has: `router`, then `router-2`. */
export function freeName(stem: string, nfs: readonly DraftNf[]): string {
  const taken = new Set(nfs.map((nf) => nf.name));
  if (!taken.has(stem)) return stem;
  let number = 2;
  while (taken.has(`${stem}-${number}`)) number += 1;
  return `${stem}-${number}`;
}

let nextKey = 0;

/** The chain with one more NF after position `after` (-1: at the start). */
export function withNf(draft: Draft, type: NfType, after: number): Draft {
  nextKey += 1;
  const secrets = secretSettings(type);
  const nf: DraftNf = {
    key: `nf-${nextKey}-${Date.now()}`,
    type: type.name,
    name: freeName(type.name, draft.nfs),
    config: "",
    ...(secrets.length > 0 ? { secrets: emptied(secrets) } : {}),
    cpuShare: "",
    cpuQuota: "",
  };
  return { ...draft, nfs: [...draft.nfs.slice(0, after + 1), nf, ...draft.nfs.slice(after + 1)] };
}

export function withoutNf(draft: Draft, index: number): Draft {
  return { ...draft, ...hostsWithout(draft, index) };
}

/** The chain with the NF at `index` one place further (`by` 1) or back (-1), on the host that has that place; unchanged
 *  at the ends. */
export function movedNf(draft: Draft, index: number, by: 1 | -1): Draft {
  const nfs = [...draft.nfs];
  const [nf] = nfs.splice(index, 1);
  const to = index + by;
  if (!nf || to < 0 || to > nfs.length) return draft;
  nfs.splice(to, 0, nf);
  return { ...draft, nfs: withHostsOf(nfs, draft.nfs) };
}

/** A chain file as the command line reads it; JSON is YAML. `runs`: as of `runsOf`. */
export function chainFile(spec: ChainSpec, runs: readonly Run[] = []): string {
  const content = runs.length > 1 ? pathOf(spec, runs) : spec;
  return JSON.stringify({ apiVersion: "sextant/v1", kind: "Chain", ...content }, null, 2);
}
