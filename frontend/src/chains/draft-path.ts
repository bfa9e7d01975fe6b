/** A chain over several hosts, as the form has it: an NF that names a host begins what stands there. What is sent are its
 *  parts, each a chain on one host; what is refused of them is said at the form's fields. Pure. */

import type { ChainSpec, FieldError } from "@/api/types";
import type { Draft, DraftNf } from "./draft";

/** Of all hosts together: a packet has room for eight segments, and the last is where it leaves. */
export const MAX_PATH_NFS = 7;

export interface Run {
  readonly host: string;
  /** Position of its first NF. */
  readonly first: number;
  readonly count: number;
}

/** By host, in the order in which packets pass; one where all NFs stand on one. The first host is the ingress's. */
export function runsOf({ nfs, host }: Pick<Draft, "nfs" | "host">): readonly Run[] {
  const runs: Run[] = [];
  nfs.forEach((nf, index) => {
    const named = index === 0 ? host : (nf.host ?? "");
    const last = runs.at(-1);
    if (!last || (named !== "" && named !== last.host)) runs.push({ host: named, first: index, count: 1 });
    else runs[runs.length - 1] = { ...last, count: last.count + 1 };
  });
  return runs;
}

/** Where the message about a run's host stands. */
function hostField(run: Run): string {
  return run.first === 0 ? "ingress.host" : `nfs.${run.first}.host`;
}

/** What keeps these runs from being a path; as the console would say it. */
export function checkPath(runs: readonly Run[], wrong: (field: string, message: string) => void): void {
  if (runs.length < 2) return;
  const nfs = runs.reduce((sum, run) => sum + run.count, 0);
  if (nfs > MAX_PATH_NFS) wrong("nfs", `over several hosts a chain has ${MAX_PATH_NFS} NFs at most, not ${nfs}`);
  runs.forEach((run, index) => {
    if (run.host === "") wrong(hostField(run), "choose a host: later NFs of this chain stand on another");
    else if (runs.slice(0, index).some(({ host }) => host === run.host)) {
      wrong(hostField(run), `${run.host} stands twice on the path: packets pass each host once`);
    }
  });
}

/** The chains that are submitted together; as the domain's chain file makes them of a path. */
export function inParts(spec: ChainSpec, runs: readonly Run[]): readonly ChainSpec[] {
  return runs.map(({ host, first, count }, index) => ({
    ...spec,
    name: index === 0 ? spec.name : `${spec.name}-part-${index + 1}`,
    nfs: spec.nfs.slice(first, first + count),
    ingress: { ...spec.ingress, host },
    // How long packets took is known where they leave.
    ...(spec.slo && { slo: index === runs.length - 1 ? spec.slo : { ...spec.slo, max_p95_ms: null } }),
    part: { of: spec.name, number: index + 1, count: runs.length },
  }));
}

/** Fields of a chain file in the place of `nfs`. */
export function pathOf(spec: ChainSpec, runs: readonly Run[]): Record<string, unknown> {
  const { nfs, ingress, ...rest } = spec;
  const path = runs.map(({ host, first, count }) => ({ nfs: nfs.slice(first, first + count), host }));
  return { ...rest, ingress: { ...ingress, host: null }, path };
}

/** What was refused of the parts, at the fields of the form; the same of several parts once. */
export function atDraftFields(errors: readonly FieldError[], runs: readonly Run[]): readonly FieldError[] {
  const found = new Map<string, FieldError>();
  for (const error of errors) {
    const at = { field: draftField(error.field, runs), message: error.message };
    found.set(`${at.field} ${at.message}`, at);
  }
  return [...found.values()];
}

function draftField(field: string, runs: readonly Run[]): string {
  const [, part, rest] = /^chains\.(\d+)\.(.+)$/.exec(field) ?? [];
  const run = part === undefined ? undefined : runs[Number(part)];
  if (!run || rest === undefined) return field;
  if (rest === "ingress.host") return hostField(run);
  if (rest === "part") return "nfs";
  return rest.replace(/^nfs\.(\d+)/, (_, position: string) => `nfs.${run.first + Number(position)}`);
}

/** NFs that change places: hosts keep theirs. */
export function withHostsOf(nfs: readonly DraftNf[], former: readonly DraftNf[]): readonly DraftNf[] {
  return nfs.map((nf, index) => withHost(nf, former[index]?.host));
}

/** Without the NF at `index`: the next of its host begins what stands there. */
export function hostsWithout(draft: Draft, index: number): Pick<Draft, "nfs" | "host"> {
  const [gone, next] = [draft.nfs[index], draft.nfs[index + 1]];
  const nfs = draft.nfs.filter((_, at) => at !== index);
  if (!next) return { nfs, host: draft.host };
  if (index === 0) return { nfs: nfs.with(0, withHost(next, undefined)), host: next.host || draft.host };
  return { nfs: nfs.with(index, withHost(next, next.host || gone?.host)), host: draft.host };
}

function withHost({ host: _, ...nf }: DraftNf, host: string | undefined): DraftNf {
  return host ? { ...nf, host } : nf;
}
