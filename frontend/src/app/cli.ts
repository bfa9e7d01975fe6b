/** The same actions as command lines: every action offers "Copy as CLI". */

import type { PlanIntent } from "@/api/actions";
import type { ChainChange, Fault, Solving } from "@/api/types";
import { adjustOptions } from "@/chains/adjust";
import { nfTypesCli } from "@/nf-types/cli";
import { opennetvmCli } from "@/opennetvm/cli";
import { solvingOptions } from "@/plans/solving";
import { profilingCli } from "@/profiling/cli";
import { studiesCli } from "@/studies/cli";

export const cli = {
  ...nfTypesCli,
  ...opennetvmCli,
  ...profilingCli,
  ...studiesCli,
  migrate: (nfId: string, core: number | string) => `sextant migrate ${nfId} --core ${core}`,
  askPlan: (intent: PlanIntent, solving: Solving) => `${askOf(intent)}${solvingOptions(solving)}`,
  applyPlan: (id: number, yes = false) => `sextant plans apply ${id}${yes ? " --yes" : ""}`,
  showPlan: (id: number) => `sextant plans show ${id}`,
  rejectPlan: (id: number) => `sextant plans reject ${id}`,
  planHurts: (id: number, host: string, before: boolean) =>
    `sextant plans hurts ${id} --host ${host}${before ? " --before" : ""}`,
  enrolHost: (host: string) => `sextant hosts enrol ${host}`,
  revokeHost: (host: string, why: string) => `sextant hosts revoke ${host} --reason ${quoted(why)}`,
  removeHost: (host: string) => `sextant hosts remove ${host}`,
  fault: (host: string, fault: Fault) => `sextant hosts fault ${faultArguments(host, fault)}`,
  showHost: (host: string) => `sextant hosts ${host}`,
  hostHurts: (host: string) => `sextant hosts hurts ${host}`,
  showComparison: (id: number) => `sextant compare show ${id}`,
  uploadArtefact: (file: string) => `sextant artefacts upload ${file}`,
  compare: (options: string) => `sextant compare${options} --wait`,
  deleteChain: (name: string) => `sextant chains delete ${name}`,
  adjustChain: (name: string, change: ChainChange) => `sextant chains adjust ${name}${adjustOptions(change)}`,
  showChain: (name: string) => `sextant chains show ${name}`,
  submitChain: (file: string) => `sextant chains submit ${file}`,
  watchOperation: (id: number) => `sextant operations watch ${id}`,
  dismissRecommendation: (id: number) => `sextant recommendations dismiss ${id}`,
  raceRanking: (hostModel: string | null) =>
    `sextant shadow ranking${hostModel === null ? "" : ` --host-model ${quoted(hostModel)}`}`,
  setPolicy: (options: string) => `sextant policy set${options}`,
  operation: (action: string, id: number) => `sextant operations ${action} ${id}`,
} as const;

/** As one word of a shell, whatever is in it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function faultArguments(host: string, fault: Fault): string {
  switch (fault.kind) {
    case "nf-crash":
      return `crash ${host} ${fault.nf_id}`;
    case "nic-flap":
      return `nic ${host} --port ${fault.port} --seconds ${fault.seconds}`;
    case "host-down":
      return `down ${host} --seconds ${fault.seconds}`;
    case "noisy-neighbour": {
      const cores = fault.cores.map((core) => ` --core ${core}`).join("");
      return `noise ${host}${cores} --resource ${fault.resource} --seconds ${fault.seconds}`;
    }
  }
}

function askOf(intent: PlanIntent): string {
  switch (intent.kind) {
    case "replace":
      return `sextant plans ask${intent.host ? ` --host ${intent.host}` : ""}`;
    case "restore":
      return `sextant operations undo ${intent.operation_id}${intent.hosts.map((host) => ` --host ${host}`).join("")}`;
    case "place":
      return `sextant plans ask --chain ${intent.chain}`;
    case "migrate":
      return `sextant migrate ${intent.nf_id} --core ${intent.core}`;
  }
}
