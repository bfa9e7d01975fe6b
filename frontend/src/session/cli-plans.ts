/** Plans and comparisons as command lines. */

import type { PlanIntent, ResourceRequest } from "@/api/actions";
import { DEFAULT_SOLVING } from "@/api/defaults";
import type { LossBudget, Solving } from "@/api/types";
import { shellWord } from "./shell-word";

export const plansCli = {
  askPlan: (intent: PlanIntent, solving: Solving) => `${askOf(intent)}${solvingOptions(solving)}`,
  migrate: (nfId: string, core: number | string) => `sextant migrate ${nfId} --core ${core}`,
  relocate: (chain: string, host: string, exchange: readonly string[] = []) =>
    `sextant chains relocate ${chain} --host ${host}${exchange.map((name) => ` --exchange ${name}`).join("")}`,
  /** `hosts`: of new lanes, by name. */
  scale: (chain: string, weights: readonly number[], hosts: Readonly<Record<string, string>> = {}) => {
    const lanes = new Set(weights).size === 1 ? `--lanes ${weights.length}` : `--weights ${weights.join(",")}`;
    const named = Object.entries(hosts).toSorted(([one], [other]) => (one < other ? -1 : 1));
    const all = named.map(([, host]) => host);
    const told = new Set(all).size === 1 ? all.slice(0, 1) : all;
    return ["sextant chains scale", chain, lanes, ...told.map((host) => `--host ${host}`)].join(" ");
  },
  /** Without a reason: the host is cordoned already. */
  drain: (host: string, why?: string) =>
    `sextant hosts drain ${host}${why === undefined ? "" : ` --reason ${shellWord(why)}`}`,
  applyPlan: (id: number, yes = false, hostsAtOnce: number | null = null, loss: LossBudget | null = null) =>
    `sextant plans apply ${id}${yes ? " --yes" : ""}${hostsAtOnce === null ? "" : ` --hosts-at-once ${hostsAtOnce}`}${lossOptions(loss)}`,
  showPlan: (id: number) => `sextant plans show ${id}`,
  rejectPlan: (id: number) => `sextant plans reject ${id}`,
  planInterference: (id: number, host: string, before: boolean) =>
    `sextant plans interference ${id} --host ${host}${before ? " --before" : ""}`,
  planConsolidation: (id: number, host: string) => `sextant plans consolidation ${id} --host ${host}`,
  compare: (options: string) => `sextant compare${options} --wait`,
  showComparison: (id: number) => `sextant compare show ${id}`,
} as const;

function askOf(intent: PlanIntent): string {
  switch (intent.kind) {
    case "replace":
      return `sextant plans ask${intent.host ? ` --host ${intent.host}` : ""}${(intent.keep ?? []).map((chain) => ` --keep ${chain}`).join("")}`;
    case "restore":
      return `sextant operations undo ${intent.operation_id}${intent.hosts.map((host) => ` --host ${host}`).join("")}`;
    case "place":
      return `sextant plans ask${[intent.chain, ...(intent.more ?? [])].map((chain) => ` --chain ${chain}`).join("")}${(intent.assume ?? []).map(({ kind, name }) => ` --assume ${kind}=${name}`).join("")}`;
    case "migrate":
      return `sextant migrate ${intent.nf_id} --core ${intent.core}`;
    case "relocate":
      return plansCli.relocate(intent.chain, intent.host, intent.exchange);
    case "lanes":
      return plansCli.scale(intent.chain, intent.weights, intent.hosts);
    case "drain":
      return plansCli.drain(intent.host);
    case "resources":
      return `sextant plans ask${settingsOf({ ...intent.chains, ...intent.resources }).join("")}`;
  }
}

function lossOptions(loss: LossBudget | null): string {
  const [packets, pause] = [loss?.most_packets, loss?.most_pause_ms];
  return `${packets == null ? "" : ` --most-lost-packets ${packets}`}${pause == null ? "" : ` --most-pause-ms ${pause}`}`;
}

/** The options that ask for the same; what is given back is `none`. */
function settingsOf(resources: Record<string, ResourceRequest>): string[] {
  return Object.entries(resources).flatMap(([owner, { host, ...asked }]) => {
    const at = host == null || !owner.includes(".") ? "" : `${host}.`; // the command names no host before a chain
    return Object.entries(asked).map(([field, value]) => ` --set ${at}${owner}.${field}=${value ?? "none"}`);
  });
}

/** The options that differ from the defaults, with a space before each. */
function solvingOptions(solving: Solving): string {
  const { algorithm, time_limit_s: limit, max_moves: moves, seed } = solving;
  return [
    algorithm == null ? "" : ` --algorithm ${algorithm}`,
    limit === DEFAULT_SOLVING.time_limit_s ? "" : ` --time-limit ${limit}`,
    moves == null ? "" : ` --max-moves ${moves}`,
    seed === 0 ? "" : ` --seed ${seed}`,
  ].join("");
}
