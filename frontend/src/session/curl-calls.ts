/** What the actions of the console ask of the API: by the names and with the arguments of `cli`, so that both copies of
 * an action say the same. Actions that read a file, or send a secret, are commands only. */

import { type ComparisonRequest, comparisonBody, type PlanIntent } from "@/api/actions";
import type { RuleChange } from "@/api/alert-queries";
import { DEFAULT_SOLVING } from "@/api/defaults";
import type {
  AntiAffinity,
  ChainChange,
  ChainSpec,
  Fault,
  JobAction,
  LossBudget,
  NfTypeChange,
  NfTypeNew,
  OperationAction,
  Policy,
  ProfilingAsk,
  Role,
  Solving,
} from "@/api/types";
import { curl } from "./curl";

const history = (from: string, to: string | null) => ({ from: moment(from), to: to === null ? null : moment(to) });

/** As the API takes it; what a command takes besides, such as '1h', is made a moment. */
function moment(text: string): string {
  const ago = /^(\d+)([smhd])$/.exec(text);
  if (ago === null) return text;
  const seconds = Number(ago[1]) * { s: 1, m: 60, h: 3600, d: 86400 }[ago[2] as "s" | "m" | "h" | "d"];
  return new Date(Date.now() - seconds * 1000).toISOString();
}

const tag = (version: number | string) => ({ tag: `"${version}"` });

const plan = (intent: PlanIntent) => curl("POST", "/api/v1/plans", { body: { intent, ...DEFAULT_SOLVING } });

export const curls = {
  // accounts
  users: () => curl("GET", "/api/v1/users"),
  createUser: (username: string, role: Role) => curl("POST", "/api/v1/users", { body: { username, role } }),
  setRole: (name: string, role: Role) =>
    curl("PATCH", "/api/v1/users/{name}", {
      path: { name },
      ifMatch: { present: "/api/v1/users/{name}" },
      body: { role },
    }),
  switchUser: (name: string, disabled: boolean) =>
    curl("PATCH", "/api/v1/users/{name}", {
      path: { name },
      ifMatch: { present: "/api/v1/users/{name}" },
      body: { disabled },
    }),
  resetPassword: (name: string) => curl("POST", "/api/v1/users/{name}/password-reset", { path: { name } }),
  sessions: () => curl("GET", "/api/v1/auth/sessions"),
  endSession: (id: number) => curl("DELETE", "/api/v1/auth/sessions/{session_id}", { path: { session_id: id } }),
  tokens: () => curl("GET", "/api/v1/auth/tokens"),
  createToken: (name: string, role: Role, days: string) =>
    curl("POST", "/api/v1/auth/tokens", { body: { name, role, days: Number(days) } }),
  revokeToken: (id: number) => curl("DELETE", "/api/v1/auth/tokens/{token_id}", { path: { token_id: id } }),
  identityProvider: () => curl("GET", "/api/v1/identity-provider"),
  removeIdentityProvider: () =>
    curl("DELETE", "/api/v1/identity-provider", { ifMatch: { present: "/api/v1/identity-provider" } }),
  // alerts
  alerts: () => curl("GET", "/api/v1/alerts"),
  alertRules: () => curl("GET", "/api/v1/alert-rules"),
  acknowledgeAlert: (id: number, note: string) =>
    curl("POST", "/api/v1/alerts/{alert_id}/acknowledge", { path: { alert_id: id }, body: { note } }),
  silenceAlert: (kind: string, objectKind: string, name: string, hours: number, reason: string) =>
    curl("POST", "/api/v1/alert-silences", {
      body: {
        kind,
        object_kind: objectKind,
        object_name: name,
        until: new Date(Date.now() + hours * 3_600_000).toISOString(),
        reason,
      },
    }),
  endSilence: (id: number) => curl("POST", "/api/v1/alert-silences/{silence_id}/end", { path: { silence_id: id } }),
  setAlertRule: (kind: string, version: number, wanted: RuleChange) =>
    curl("PATCH", "/api/v1/alert-rules/{kind}", { path: { kind }, ifMatch: tag(version), body: wanted }),
  channels: () => curl("GET", "/api/v1/notification-channels"),
  removeChannel: (id: number) =>
    curl("DELETE", "/api/v1/notification-channels/{channel_id}", {
      path: { channel_id: id },
      ifMatch: { present: "/api/v1/notification-channels/{channel_id}" },
    }),
  deliveries: () => curl("GET", "/api/v1/notification-deliveries"),
  // audit
  audit: (wanted: Readonly<Record<string, string | undefined>>) => curl("GET", "/api/v1/audit", { query: wanted }),
  // chains
  submitChain: (spec: ChainSpec) => curl("POST", "/api/v1/chains", { body: spec }),
  submitChains: (chains: readonly ChainSpec[]) => curl("POST", "/api/v1/chains/batches", { body: { chains } }),
  showChain: (name: string) => curl("GET", "/api/v1/chains/{name}", { path: { name } }),
  capture: (name: string, packets: number) =>
    curl("POST", "/api/v1/chains/{name}/captures", { path: { name }, body: { packets } }),
  adjustChain: (name: string, change: ChainChange) =>
    curl("PATCH", "/api/v1/chains/{name}/settings", {
      path: { name },
      ifMatch: { present: "/api/v1/chains/{name}" },
      body: change,
    }),
  setAntiAffinity: (name: string, group: AntiAffinity | null) =>
    curl("PUT", "/api/v1/chains/{name}/anti-affinity", {
      path: { name },
      ifMatch: { present: "/api/v1/chains/{name}" },
      body: { anti_affinity: group },
    }),
  deleteChain: (name: string) =>
    curl("DELETE", "/api/v1/chains/{name}", { path: { name }, ifMatch: { present: "/api/v1/chains/{name}" } }),
  // history
  chainHistory: (name: string, from: string, to: string | null) =>
    curl("GET", "/api/v1/chains/{name}/history", { path: { name }, query: history(from, to) }),
  hostHistory: (host: string, from: string, to: string | null) =>
    curl("GET", "/api/v1/hosts/{host_id}/history", { path: { host_id: host }, query: history(from, to) }),
  coreHistory: (host: string, core: number, from: string, to: string | null) =>
    curl("GET", "/api/v1/hosts/{host_id}/cores/{core}/history", {
      path: { host_id: host, core },
      query: history(from, to),
    }),
  nfHistory: (nf: string, from: string, to: string | null) =>
    curl("GET", "/api/v1/nfs/{nf_id}/history", { path: { nf_id: nf }, query: history(from, to) }),
  hostThen: (at: string, host: string) => curl("GET", "/api/v1/history/fleet", { query: { at: moment(at), host } }),
  chainThen: (at: string, chain: string) => curl("GET", "/api/v1/history/fleet", { query: { at: moment(at), chain } }),
  fleetThen: (at: string) => curl("GET", "/api/v1/history/fleet", { query: { at: moment(at) } }),
  compareMoments: (before: string, after: string) =>
    curl("GET", "/api/v1/history/differences", { query: { before: moment(before), after: moment(after) } }),
  historySize: () => curl("GET", "/api/v1/history/size"),
  // hosts
  showHost: (host: string) => curl("GET", "/api/v1/hosts/{host_id}", { path: { host_id: host } }),
  enrolHost: (host: string) => curl("POST", "/api/v1/enrolments", { body: { host } }),
  revokeHost: (host: string, reason: string) =>
    curl("POST", "/api/v1/hosts/{host_id}/revoke", { path: { host_id: host }, body: { reason } }),
  cordonHost: (host: string, reason: string) =>
    curl("POST", "/api/v1/hosts/{host_id}/cordon", { path: { host_id: host }, body: { reason } }),
  uncordonHost: (host: string) => curl("POST", "/api/v1/hosts/{host_id}/uncordon", { path: { host_id: host } }),
  setReservedCores: (host: string, version: number, cores: readonly number[], reason: string | null) =>
    curl("PUT", "/api/v1/hosts/{host_id}/reserved-cores", {
      path: { host_id: host },
      ifMatch: tag(version),
      body: { cores, reason },
    }),
  setCoreSlots: (host: string, version: number, slots: number | null, reason: string | null) =>
    curl("PUT", "/api/v1/hosts/{host_id}/core-slots", {
      path: { host_id: host },
      ifMatch: tag(version),
      body: { slots, reason },
    }),
  drift: (host: string) => curl("GET", "/api/v1/hosts/{host_id}/drift", { path: { host_id: host } }),
  repairDrift: (host: string) => curl("POST", "/api/v1/hosts/{host_id}/drift/repair", { path: { host_id: host } }),
  acceptDrift: (host: string) => curl("POST", "/api/v1/hosts/{host_id}/drift/accept", { path: { host_id: host } }),
  renumberHost: (host: string) => curl("POST", "/api/v1/hosts/{host_id}/renumber", { path: { host_id: host } }),
  removeHost: (host: string) =>
    curl("DELETE", "/api/v1/hosts/{host_id}", {
      path: { host_id: host },
      ifMatch: { present: "/api/v1/hosts/{host_id}" },
    }),
  hostInterference: (host: string) => curl("GET", "/api/v1/hosts/{host_id}/interference", { path: { host_id: host } }),
  hostAutomation: (host: string) => curl("GET", "/api/v1/automation/hosts/{host_id}", { path: { host_id: host } }),
  fault: (host: string, fault: Fault) =>
    curl("POST", "/api/v1/hosts/{host_id}/faults", { path: { host_id: host }, body: { fault } }),
  // models and NF types
  nfTypes: () => curl("GET", "/api/v1/nf-types"),
  showNfType: (name: string) => curl("GET", "/api/v1/nf-types/{name}", { path: { name } }),
  registerNfType: (asked: NfTypeNew) => curl("POST", "/api/v1/nf-types", { body: asked }),
  updateNfType: (name: string, etag: string, change: NfTypeChange) =>
    curl("PUT", "/api/v1/nf-types/{name}", { path: { name }, ifMatch: { tag: etag }, body: change }),
  removeNfType: (name: string) =>
    curl("DELETE", "/api/v1/nf-types/{name}", { path: { name }, ifMatch: { present: "/api/v1/nf-types/{name}" } }),
  promoteFit: (fit: number, nfType: string | null) =>
    curl("POST", "/api/v1/fits/{fit_id}/promotion", {
      path: { fit_id: fit },
      ifMatch: { present: "/api/v1/fits/{fit_id}" },
      body: { nf_types: nfType === null ? null : [nfType] },
    }),
  fitModels: (hostModel: string) => curl("POST", "/api/v1/fits", { body: { host_model: hostModel } }),
  outcomes: (nfType: string) => curl("GET", "/api/v1/outcomes", { query: { nf_type: nfType } }),
  outcomesOfChain: (chain: string) => curl("GET", "/api/v1/outcomes", { query: { chain } }),
  trust: (nfType: string) => curl("GET", "/api/v1/trust", { query: { nf_type: nfType } }),
  // plans and operations
  askPlan: (intent: PlanIntent, solving: Solving) => curl("POST", "/api/v1/plans", { body: { intent, ...solving } }),
  relocate: (chain: string, host: string, exchange: readonly string[] = []) =>
    plan({ kind: "relocate", chain, host, ...(exchange.length > 0 && { exchange: [...exchange] }) }),
  scale: (chain: string, weights: readonly number[], hosts: Record<string, string> = {}) =>
    plan({ kind: "lanes", chain, weights: [...weights], ...(Object.keys(hosts).length > 0 && { hosts }) }),
  drain: (host: string) => plan({ kind: "drain", host }),
  migrate: (nfId: string, host: string, core: number) => plan({ kind: "migrate", nf_id: nfId, host, core }),
  applyPlan: (id: number, digest: string, hostsAtOnce: number | null, lossBudget: LossBudget | null) =>
    curl("POST", "/api/v1/plans/{plan_id}/apply", {
      path: { plan_id: id },
      ifMatch: tag(digest),
      body: { hosts_at_once: hostsAtOnce, ...(lossBudget && { loss_budget: lossBudget }) },
    }),
  showPlan: (id: number) => curl("GET", "/api/v1/plans/{plan_id}", { path: { plan_id: id } }),
  rejectPlan: (id: number) => curl("POST", "/api/v1/plans/{plan_id}/reject", { path: { plan_id: id } }),
  proceedWithPlan: (id: number) => curl("POST", "/api/v1/plans/{plan_id}/proceed", { path: { plan_id: id } }),
  planInterference: (id: number, host: string, before: boolean) =>
    curl("GET", "/api/v1/plans/{plan_id}/interference", {
      path: { plan_id: id },
      query: { host, when: before ? "before" : "after" },
    }),
  planConsolidation: (id: number, host: string) =>
    curl("GET", "/api/v1/plans/{plan_id}/consolidation", { path: { plan_id: id }, query: { host } }),
  compare: (request: ComparisonRequest) => curl("POST", "/api/v1/comparisons", { body: comparisonBody(request) }),
  showComparison: (id: number) => curl("GET", "/api/v1/comparisons/{comparison_id}", { path: { comparison_id: id } }),
  comparisons: () => curl("GET", "/api/v1/comparisons"),
  raceRanking: (hostModel: string | null) => curl("GET", "/api/v1/races/ranking", { query: { host_model: hostModel } }),
  watchOperation: (id: number) => curl("GET", "/api/v1/operations/{operation_id}", { path: { operation_id: id } }),
  operation: (action: OperationAction, id: number) =>
    curl("POST", `/api/v1/operations/{operation_id}/${action}`, { path: { operation_id: id } }),
  // control laws
  recommendations: (law: string | null, state?: string) =>
    curl("GET", "/api/v1/recommendations", { query: { law, state } }),
  acceptRecommendation: (id: number) =>
    curl("POST", "/api/v1/recommendations/{recommendation_id}/actions", {
      path: { recommendation_id: id },
      body: { action: "accept" },
    }),
  dismissRecommendation: (id: number) =>
    curl("POST", "/api/v1/recommendations/{recommendation_id}/actions", {
      path: { recommendation_id: id },
      body: { action: "dismiss" },
    }),
  switchAutomation: (stopped: boolean) =>
    curl("PUT", "/api/v1/automation", { ifMatch: { present: "/api/v1/automation" }, body: { stopped } }),
  planWindow: (host: string | null, startsAt: string | null, endsAt: string, reason: string) =>
    curl("POST", "/api/v1/maintenance-windows", { body: { host, starts_at: startsAt, ends_at: endsAt, reason } }),
  timeline: (law: string | null) => curl("GET", "/api/v1/automation/timeline", { query: { law } }),
  setPolicy: (version: number, policy: Policy) =>
    curl("PUT", "/api/v1/policy", { ifMatch: tag(version), body: policy }),
  setScopedPolicy: (law: string, scope: string, name: string, mode: string) =>
    curl("PUT", "/api/v1/policies/{law}/{scope}/{name}", { path: { law, scope, name }, body: { mode } }),
  clearScopedPolicy: (law: string, scope: string, name: string) =>
    curl("DELETE", "/api/v1/policies/{law}/{scope}/{name}", { path: { law, scope, name } }),
  setFleetPolicy: (law: string, version: number, policy: Policy) =>
    curl("PUT", "/api/v1/policies/{law}/fleet", { path: { law }, ifMatch: tag(version), body: policy }),
  sharedCores: (host: string) => curl("GET", "/api/v1/control/sfc2cpu/hosts/{host_id}", { path: { host_id: host } }),
  networks: () => curl("GET", "/api/v1/control/sfc2cpu/networks"),
  promoteNetwork: (weights: string) =>
    curl("PUT", "/api/v1/control/sfc2cpu/networks/{weights}/promotion", { path: { weights } }),
  revertNetwork: (weights: string) =>
    curl("DELETE", "/api/v1/control/sfc2cpu/networks/{weights}/promotion", { path: { weights } }),
  fitHostCost: (host: string) => curl("POST", "/api/v1/control/sfc2cpu/fits", { body: { host } }),
  cocoHosts: () => curl("GET", "/api/v1/control/coco/hosts"),
  cocoHost: (host: string) => curl("GET", "/api/v1/control/coco/hosts/{host_id}", { path: { host_id: host } }),
  setCocoParameters: (changed: Readonly<Record<string, number | string | null>>) =>
    curl("PATCH", "/api/v1/control/coco/parameters", {
      ifMatch: { present: "/api/v1/control/coco/parameters" },
      body: changed,
    }),
  srv6Hosts: () => curl("GET", "/api/v1/control/srv6/hosts"),
  srv6Host: (host: string) => curl("GET", "/api/v1/control/srv6/hosts/{host_id}", { path: { host_id: host } }),
  setSrv6Parameters: (changed: Readonly<Record<string, number | string | null>>) =>
    curl("PATCH", "/api/v1/control/srv6/parameters", {
      ifMatch: { present: "/api/v1/control/srv6/parameters" },
      body: changed,
    }),
  numasfpHosts: () => curl("GET", "/api/v1/control/numasfp/hosts"),
  numasfpHost: (host: string) => curl("GET", "/api/v1/control/numasfp/hosts/{host_id}", { path: { host_id: host } }),
  setNumasfpParameters: (changed: Readonly<Record<string, number | string | null>>) =>
    curl("PATCH", "/api/v1/control/numasfp/parameters", {
      ifMatch: { present: "/api/v1/control/numasfp/parameters" },
      body: changed,
    }),
  // profiling and studies
  startProfile: (ask: ProfilingAsk) => curl("POST", "/api/v1/profiling/jobs", { body: ask }),
  showShares: (id: number) => curl("GET", "/api/v1/shares/{shares_id}", { path: { shares_id: id } }),
  showLevels: (id: number) => curl("GET", "/api/v1/levels/{levels_id}", { path: { levels_id: id } }),
  decideLevels: (what: "promote" | "retire", id: number) =>
    what === "promote"
      ? curl("POST", "/api/v1/levels/{levels_id}/promotion", { path: { levels_id: id } })
      : curl("POST", "/api/v1/levels/{levels_id}/retirement", { path: { levels_id: id } }),
  profilingJobs: () => curl("GET", "/api/v1/profiling/jobs"),
  watchProfile: (job: number) => curl("GET", "/api/v1/profiling/jobs/{job_id}", { path: { job_id: job } }),
  profilePoints: (job: number) => curl("GET", "/api/v1/profiling/jobs/{job_id}/points", { path: { job_id: job } }),
  steerProfile: (action: JobAction, job: number) =>
    curl("POST", "/api/v1/profiling/jobs/{job_id}/actions", { path: { job_id: job }, body: { action } }),
  studies: () => curl("GET", "/api/v1/studies"),
  showStudy: (id: number) => curl("GET", "/api/v1/studies/{study_id}", { path: { study_id: id } }),
  repeatStudy: (id: number) => curl("POST", "/api/v1/studies/{study_id}/repetition", { path: { study_id: id } }),
  cancelStudy: (id: number) => curl("POST", "/api/v1/studies/{study_id}/cancellation", { path: { study_id: id } }),
  removeStudy: (id: number) =>
    curl("DELETE", "/api/v1/studies/{study_id}", {
      path: { study_id: id },
      ifMatch: { present: "/api/v1/studies/{study_id}" },
    }),
} as const;
