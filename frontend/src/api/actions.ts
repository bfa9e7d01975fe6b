/** Everything an operator can change, one function each. All throw ProblemError. */

import { api, body } from "./client";
import type {
  ActiveFaults,
  Algorithm,
  AntiAffinity,
  Assumption,
  ChainChange,
  ChainImport,
  ChainSpec,
  ChainView,
  Comparison,
  EnrolmentMade,
  Fault,
  FitBrief,
  FitView,
  FleetSnapshot,
  HostCostFit,
  HostView,
  JobAction,
  LevelsVersion,
  LossBudget,
  NetworkPromotion,
  NfType,
  NfTypeChange,
  NfTypeNew,
  Operation,
  OperationAction,
  PacketCapture,
  Plan,
  Policy,
  PolicyView,
  ProfilingAsk,
  ProfilingJob,
  Recommendation,
  SharesVersion,
  Solving,
  Study,
} from "./types";

export type PlanIntent =
  | { kind: "migrate"; nf_id: string; host: string; core: number }
  | { kind: "relocate"; chain: string; host: string; exchange?: string[] }
  | { kind: "drain"; host: string }
  | { kind: "replace"; host: string | null; keep?: string[] }
  | { kind: "restore"; operation_id: number; hosts: string[] }
  | { kind: "resources"; resources?: Record<string, ResourceRequest>; chains?: Record<string, MemoryRequest> }
  | {
      kind: "lanes";
      chain: string;
      weights: number[];
      seats?: Record<string, number>;
      hosts?: Record<string, string>;
      law?: string | null;
    }
  | { kind: "place"; chain: string; more?: string[]; assume?: Assumption[] };

/** What is left out stays as it is; null gives it back. */
export type ResourceRequest = NonNullable<ResourceIntent["resources"]>[string];
/** The same, of what all NFs of a chain have together. */
export type MemoryRequest = NonNullable<ResourceIntent["chains"]>[string];
type ResourceIntent = Extract<Plan["intent"], { kind: "resources" }>;

/** The plan is made in the background; the answer is its number, in state `planning`. */
export function askForPlan(intent: PlanIntent, solving: Solving): Promise<Plan> {
  return body(api.POST("/api/v1/plans", { body: { intent, ...solving } }));
}

export interface ComparisonRequest {
  readonly intent: { kind: "replace"; host: null; keep: string[] } | { kind: "place"; chain: string; more?: string[] };
  readonly algorithms: readonly Algorithm[];
  readonly timeLimitS: number;
  readonly label: string | null;
  /** A parsed file; null: the fleet as it is now. The console judges it, so it is passed on as it came. */
  readonly snapshot: object | null;
}

/** One plan for each algorithm, all on one snapshot. */
export function compareAlgorithms(request: ComparisonRequest): Promise<Comparison> {
  return body(api.POST("/api/v1/comparisons", { body: comparisonBody(request) }));
}

/** As the API takes it. */
export function comparisonBody({ intent, algorithms, timeLimitS, label, snapshot }: ComparisonRequest) {
  return {
    intent,
    algorithms: [...algorithms],
    time_limit_s: timeLimitS,
    seed: 0,
    max_moves: null,
    label,
    snapshot: snapshot as FleetSnapshot | null,
  };
}

/** Applies exactly the plan of this digest, or is refused. `lossBudget`: what it may cost where it interrupts chains. */
export function applyPlan(
  planId: number,
  digest: string,
  hostsAtOnce: number | null,
  lossBudget: LossBudget | null,
): Promise<Operation> {
  return body(
    api.POST("/api/v1/plans/{plan_id}/apply", {
      params: { path: { plan_id: planId }, header: { "If-Match": `"${digest}"` } },
      body: { hosts_at_once: hostsAtOnce, ...(lossBudget && { loss_budget: lossBudget }) },
    }),
  );
}

export function rejectPlan(planId: number): Promise<Plan> {
  return body(api.POST("/api/v1/plans/{plan_id}/reject", { params: { path: { plan_id: planId } } }));
}

/** Makes a plan that waits for a model now, with the figures assumed of what the NF type runs. Profiling goes on. */
export function proceedWithPlan(planId: number): Promise<Plan> {
  return body(api.POST("/api/v1/plans/{plan_id}/proceed", { params: { path: { plan_id: planId } } }));
}

/** What a group file describes; nothing is stored. `files`: what its NFs read, by name. */
export function importChains(text: string, files: Record<string, string>): Promise<ChainImport> {
  return body(api.POST("/api/v1/chains/imports", { body: { format: "opennetvm-group", text, files } }));
}

export function submitChain(spec: ChainSpec): Promise<{ plan_id: number }> {
  return body(api.POST("/api/v1/chains", { body: spec }));
}

/** All or none, with one plan for all of them. */
export function submitChains(chains: readonly ChainSpec[]): Promise<{ plan_id: number }> {
  return body(api.POST("/api/v1/chains/batches", { body: { chains: [...chains] } }));
}

/** The operation that takes the chain off its hosts, or null where it was placed nowhere and is gone. `lanes`: with all
 * further ones. */
export async function deleteChain(name: string, lanes: boolean): Promise<Operation | null> {
  const { response } = await api.GET("/api/v1/chains/{name}", { params: { path: { name } } });
  const tag = response.headers.get("ETag") ?? "*";
  const operation = await body<Operation | undefined>(
    api.DELETE("/api/v1/chains/{name}", { params: { path: { name }, query: { lanes }, header: { "If-Match": tag } } }),
  );
  return operation ?? null;
}

/** The operation that changes a chain that runs, or null where no host had to be ordered. `version`: as it was seen. */
export async function adjustChain(name: string, version: number, change: ChainChange): Promise<Operation | null> {
  const answer = await body(
    api.PATCH("/api/v1/chains/{name}/settings", {
      params: { path: { name }, header: { "If-Match": `"${version}"` } },
      body: change,
    }),
  );
  return "hosts" in answer ? answer : null;
}

/** null: none. `version`: as it was seen. */
export function setAntiAffinity(name: string, version: number, group: AntiAffinity | null): Promise<ChainView> {
  return body(
    api.PUT("/api/v1/chains/{name}/anti-affinity", {
      params: { path: { name }, header: { "If-Match": `"${version}"` } },
      body: { anti_affinity: group },
    }),
  );
}

/** A built-in type's program with defaults of its own. */
export function registerNfType(asked: NfTypeNew): Promise<NfType> {
  return body(api.POST("/api/v1/nf-types", { body: asked }));
}

/** What is left out goes back to its default. `tag`: as it was seen. */
export function updateNfType(name: string, tag: string, asked: NfTypeChange): Promise<NfType> {
  const params = { path: { name }, header: { "If-Match": tag } };
  return body(api.PUT("/api/v1/nf-types/{name}", { params, body: asked }));
}

/** Refused while a chain names it. */
export async function removeNfType(name: string, tag: string): Promise<void> {
  await body(api.DELETE("/api/v1/nf-types/{name}", { params: { path: { name }, header: { "If-Match": tag } } }));
}

/** Points that were measured before are not repeated, unless the ask says so. */
export function startProfiling(ask: ProfilingAsk): Promise<ProfilingJob> {
  return body(api.POST("/api/v1/profiling/jobs", { body: ask }));
}

export function steerProfiling(jobId: number, action: JobAction): Promise<ProfilingJob> {
  const params = { path: { job_id: jobId } };
  return body(api.POST("/api/v1/profiling/jobs/{job_id}/actions", { params, body: { action } }));
}

/** A fit of all profiles of one host model; it is made in the background. */
export function askForFit(hostModel: string): Promise<FitBrief> {
  return body(api.POST("/api/v1/fits", { body: { host_model: hostModel } }));
}

/** Lets plans use models of a fit: of those NF types, or (null) all that can be used. `version`: as it was seen. */
export function promoteFit(fitId: number, version: number, nfTypes: readonly string[] | null): Promise<FitView> {
  return body(
    api.POST("/api/v1/fits/{fit_id}/promotion", {
      params: { path: { fit_id: fitId }, header: { "If-Match": `"${version}"` } },
      body: { nf_types: nfTypes ? [...nfTypes] : null },
    }),
  );
}

/** Control laws go by promoted shares, and by the slope of each second where there are none. */
export function decideShares(what: "promote" | "retire", id: number): Promise<SharesVersion> {
  const params = { path: { shares_id: id } };
  if (what === "promote") return body(api.POST("/api/v1/shares/{shares_id}/promotion", { params }));
  return body(api.POST("/api/v1/shares/{shares_id}/retirement", { params }));
}

/** Control laws go by promoted levels, and by retired ones no more. To the client the pairs of a front are arrays. */
export function decideLevels(what: "promote" | "retire", id: number): Promise<LevelsVersion> {
  const params = { path: { levels_id: id } };
  const done =
    what === "promote"
      ? body(api.POST("/api/v1/levels/{levels_id}/promotion", { params }))
      : body(api.POST("/api/v1/levels/{levels_id}/retirement", { params }));
  return done as Promise<LevelsVersion>;
}

/** `version`: as it was seen. */
export function setPolicy(version: number, policy: Policy): Promise<PolicyView> {
  return body(api.PUT("/api/v1/policy", { params: { header: { "If-Match": `"${version}"` } }, body: policy }));
}

/** It comes again only if the gain grows by half. */
/** Its plan is applied, as any. */
export function acceptRecommendation(recommendation: number): Promise<Recommendation> {
  const params = { path: { recommendation_id: recommendation } };
  return body(api.POST("/api/v1/recommendations/{recommendation_id}/actions", { params, body: { action: "accept" } }));
}

export function dismissRecommendation(recommendation: number): Promise<Recommendation> {
  const params = { path: { recommendation_id: recommendation } };
  return body(api.POST("/api/v1/recommendations/{recommendation_id}/actions", { params, body: { action: "dismiss" } }));
}

/** Runs a study on simulated servers, in the background. `toml`: its scenario file. */
export function startStudy(toml: string): Promise<Study> {
  return body(api.POST("/api/v1/studies", { body: { scenario_toml: toml } }));
}

/** As a new study, which says at its end whether every figure is the same. */
export function repeatStudy(studyId: number): Promise<Study> {
  return body(api.POST("/api/v1/studies/{study_id}/repetition", { params: { path: { study_id: studyId } } }));
}

/** Nothing of what it found so far is kept. */
export function cancelStudy(studyId: number): Promise<Study> {
  return body(api.POST("/api/v1/studies/{study_id}/cancellation", { params: { path: { study_id: studyId } } }));
}

/** Forgets a study that has ended, and what it found. `version`: as it was seen. */
export async function removeStudy(studyId: number, version: number): Promise<void> {
  const params = { path: { study_id: studyId }, header: { "If-Match": `"${version}"` } };
  await body(api.DELETE("/api/v1/studies/{study_id}", { params }));
}

/** Forgets the file; refused while a chain names it. */
export async function deleteArtefact(digest: string): Promise<void> {
  const params = { path: { digest }, header: { "If-Match": `"${digest}"` } };
  await body(api.DELETE("/api/v1/artefacts/{digest}", { params }));
}

/** A token for one host; the answer alone shows it. */
export function makeEnrolment(host: string): Promise<EnrolmentMade> {
  return body(api.POST("/api/v1/enrolments", { body: { host, count: null, labels: {}, lifetime_s: 600 } }));
}

export async function withdrawEnrolment(enrolmentId: number): Promise<void> {
  await body(api.DELETE("/api/v1/enrolments/{enrolment_id}", { params: { path: { enrolment_id: enrolmentId } } }));
}

/** Refuses every certificate the host has. */
export function revokeHost(hostId: string, reason: string): Promise<HostView> {
  return body(api.POST("/api/v1/hosts/{host_id}/revoke", { params: { path: { host_id: hostId } }, body: { reason } }));
}

/** No NF starts or moves there from then on. */
export function cordonHost(hostId: string, reason: string): Promise<HostView> {
  return body(api.POST("/api/v1/hosts/{host_id}/cordon", { params: { path: { host_id: hostId } }, body: { reason } }));
}

export function uncordonHost(hostId: string): Promise<HostView> {
  return body(api.POST("/api/v1/hosts/{host_id}/uncordon", { params: { path: { host_id: hostId } } }));
}

export type DriftAction = "repair" | "accept";

/** The plan is made in the background; nothing is sent to the host before it is applied. */
export function planDriftsEnd(hostId: string, action: DriftAction): Promise<Plan> {
  const params = { path: { host_id: hostId } };
  return body(
    action === "repair"
      ? api.POST("/api/v1/hosts/{host_id}/drift/repair", { params })
      : api.POST("/api/v1/hosts/{host_id}/drift/accept", { params }),
  );
}

/** Exactly these cores are kept from NFs from then on, in addition to those that its agent reserves. */
export function setReservedCores(seen: HostView, cores: readonly number[], reason: string | null): Promise<HostView> {
  const params = { path: { host_id: seen.host_id }, header: { "If-Match": `"${seen.version}"` } };
  return body(api.PUT("/api/v1/hosts/{host_id}/reserved-cores", { params, body: { cores: [...cores], reason } }));
}

/** A fit of what packets cost on the host beside others, of what it measured lately; it is made in the background. */
export function fitHostCost(host: string): Promise<HostCostFit> {
  return body(api.POST("/api/v1/control/sfc2cpu/fits", { body: { host } }));
}

/** Newcomers on hosts with as many cores that NFs may share are assigned by the network from then on. */
export function promoteNetwork(weights: string): Promise<NetworkPromotion> {
  return body(api.PUT("/api/v1/control/sfc2cpu/networks/{weights}/promotion", { params: { path: { weights } } }));
}

/** What was in force before is again. */
export function revertNetwork(weights: string): Promise<NetworkPromotion> {
  return body(api.DELETE("/api/v1/control/sfc2cpu/networks/{weights}/promotion", { params: { path: { weights } } }));
}

/** So many NFs may share each core that its agent offers to NFs; null: as many as its agent says. */
export function setCoreSlots(seen: HostView, slots: number | null, reason: string | null): Promise<HostView> {
  const params = { path: { host_id: seen.host_id }, header: { "If-Match": `"${seen.version}"` } };
  return body(api.PUT("/api/v1/hosts/{host_id}/core-slots", { params, body: { slots, reason } }));
}

/** The console's order gets a number above what the host runs; nothing is sent. */
export function renumberHost(hostId: string): Promise<HostView> {
  return body(api.POST("/api/v1/hosts/{host_id}/renumber", { params: { path: { host_id: hostId } } }));
}

/** Refused while chains run there. */
export async function removeHost(hostId: string): Promise<void> {
  const path = { host_id: hostId };
  const { response } = await api.GET("/api/v1/hosts/{host_id}", { params: { path } });
  const tag = response.headers.get("ETag") ?? "*";
  await body(api.DELETE("/api/v1/hosts/{host_id}", { params: { path, header: { "If-Match": tag } } }));
}

/** The next packets that leave a chain; answers within seconds, however few came. */
export function capturePackets(name: string, packets: number): Promise<PacketCapture> {
  return body(api.POST("/api/v1/chains/{name}/captures", { params: { path: { name } }, body: { packets } }));
}

/** Lets something go wrong on a simulated host; the answer: all that is wrong there by order now. */
export function injectFault(hostId: string, fault: Fault): Promise<ActiveFaults> {
  return body(api.POST("/api/v1/hosts/{host_id}/faults", { params: { path: { host_id: hostId } }, body: { fault } }));
}

export function actOnOperation(operationId: number, action: OperationAction): Promise<Operation> {
  const params = { params: { path: { operation_id: operationId } } };
  switch (action) {
    case "retry":
      return body(api.POST("/api/v1/operations/{operation_id}/retry", params));
    case "rollback":
      return body(api.POST("/api/v1/operations/{operation_id}/rollback", params));
    case "cancel":
      return body(api.POST("/api/v1/operations/{operation_id}/cancel", params));
    case "fail":
      return body(api.POST("/api/v1/operations/{operation_id}/fail", params));
  }
}
