/** Every action as a command line: each offers "Copy as CLI". */

import { accountsCli } from "./cli-accounts";
import { alertsCli } from "./cli-alerts";
import { chainsCli } from "./cli-chains";
import { historyCli } from "./cli-history";
import { hostsCli } from "./cli-hosts";
import { levelsCli } from "./cli-levels";
import { nfTypesCli } from "./cli-nf-types";
import { notificationsCli } from "./cli-notifications";
import { opennetvmCli } from "./cli-opennetvm";
import { plansCli } from "./cli-plans";
import { profilingCli } from "./cli-profiling";
import { sharesCli } from "./cli-shares";
import { studiesCli } from "./cli-studies";
import { shellWord } from "./shell-word";

export const cli = {
  ...accountsCli,
  ...alertsCli,
  ...chainsCli,
  ...historyCli,
  ...hostsCli,
  ...levelsCli,
  ...sharesCli,
  ...nfTypesCli,
  ...notificationsCli,
  ...opennetvmCli,
  ...plansCli,
  ...profilingCli,
  ...studiesCli,
  uploadArtefact: (file: string) => `sextant artefacts upload ${file}`,
  watchOperation: (id: number) => `sextant operations watch ${id}`,
  operation: (action: string, id: number) => `sextant operations ${action} ${id}`,
  recommendations: (law: string | null, state?: string) =>
    `sextant recommendations list${law === null ? "" : ` --filter law=${law}`}${state ? ` --state ${state}` : ""}`,
  acceptRecommendation: (id: number) => `sextant recommendations accept ${id}`,
  dismissRecommendation: (id: number) => `sextant recommendations dismiss ${id}`,
  switchAutomation: (stopped: boolean) => `sextant automation ${stopped ? "stop" : "resume"}`,
  planWindow: (host: string | null, from: string | null, until: string, reason: string) =>
    `sextant maintenance plan${host === null ? "" : ` --host ${host}`}${from === null ? "" : ` --from ${from}`} --until ${until} --reason ${shellWord(reason)}`,
  timeline: (law: string | null) => `sextant automation timeline${law === null ? "" : ` --law ${law}`}`,
  hostAutomation: (host: string) => `sextant automation --host ${host}`,
  setScopedPolicy: (law: string, scope: string, name: string, mode: string) =>
    `sextant policy set --law ${law} --${scope} ${shellWord(name)} --mode ${mode}`,
  setPolicy: (options: string) => `sextant policy set${options}`,
  setLawMode: (law: string, mode: string) => `sextant policy set --law ${law} --mode ${mode}`,
  clearScopedPolicy: (law: string, scope: string, name: string) =>
    `sextant policy clear --law ${law} --${scope} ${shellWord(name)}`,
  sharedCores: (host: string) => `sextant sfc2cpu show ${host}`,
  networks: () => "sextant sfc2cpu networks",
  trainNetwork: (cores: number, seed: number, length: "short" | "long", steps: number | null, costOf: string | null) =>
    `sextant sfc2cpu train --cores ${cores} --seed ${seed}${length === "long" ? " --long" : ""}${steps === null ? "" : ` --steps ${steps}`}${costOf ? ` --cost-of ${costOf}` : ""}`,
  promoteNetwork: (weights: string) => `sextant sfc2cpu promote ${weights.replace("sha256:", "").slice(0, 12)}`,
  revertNetwork: (weights: string) => `sextant sfc2cpu revert ${weights.replace("sha256:", "").slice(0, 12)}`,
  fitHostCost: (host: string) => `sextant sfc2cpu fit ${host}`,
  cocoHosts: () => "sextant coco hosts",
  cocoHost: (host: string) => `sextant coco show ${host}`,
  setCocoParameters: (changed: Readonly<Record<string, number | string | null>>) =>
    `sextant coco parameters${settings(changed)}`,
  srv6Hosts: () => "sextant srv6 hosts",
  srv6Host: (host: string) => `sextant srv6 show ${host}`,
  setSrv6Parameters: (changed: Readonly<Record<string, number | string | null>>) =>
    `sextant srv6 parameters${settings(changed)}`,
  numasfpHosts: () => "sextant numasfp hosts",
  numasfpHost: (host: string) => `sextant numasfp show ${host}`,
  setNumasfpParameters: (changed: Readonly<Record<string, number | string | null>>) =>
    `sextant numasfp parameters${settings(changed)}`,
  comparisons: () => "sextant compare list",
  raceRanking: (hostModel: string | null) =>
    `sextant races ranking${hostModel === null ? "" : ` --host-model ${shellWord(hostModel)}`}`,
} as const;

/** " --set rest_s=20 --set hold_intervals=5" */
function settings(changed: Readonly<Record<string, number | string | null>>): string {
  return Object.entries(changed)
    .map(([name, value]) => ` --set ${name}=${value ?? "none"}`)
    .join("");
}
