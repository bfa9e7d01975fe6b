/** Query options of everything that is fetched; what is live comes from the stream instead (live/store.ts). */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body, setCsrfToken, setTraces } from "./client";
import { everyPage, WHOLE } from "./pages";
import { ProblemError } from "./problem";
import type { ArtefactSort, ComparisonSort, EnrolmentSort, OperationSort, PlanSort } from "./sorts";
import type { Comparison, FileKind, OperationState, PlanBrief } from "./types";

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async () => {
    try {
      const session = await body(api.GET("/api/v1/auth/session"));
      setCsrfToken(session.csrf_token);
      setTraces(session.traces ?? false);
      return session;
    } catch (error) {
      if (error instanceof ProblemError && error.problem.status === 401) return null;
      throw error;
    }
  },
  staleTime: Number.POSITIVE_INFINITY,
});

export const NF_TYPES = ["nf-types"] as const;

export const nfTypesQuery = queryOptions({
  queryKey: NF_TYPES,
  queryFn: () =>
    everyPage((after) => body(api.GET("/api/v1/nf-types", { params: { query: { limit: WHOLE, ...after } } }))),
  staleTime: 60_000,
});

/** The type, and the tag that a change of it must name. */
export const nfTypeQuery = (name: string) =>
  queryOptions({
    queryKey: [...NF_TYPES, "one", name],
    queryFn: async () => {
      const asked = api.GET("/api/v1/nf-types/{name}", { params: { path: { name } } });
      const type = await body(asked);
      return { type, tag: (await asked).response.headers.get("ETag") ?? "" };
    },
    staleTime: 0,
  });

export const planQuery = (id: number) =>
  queryOptions({
    queryKey: ["plan", id],
    queryFn: () => body(api.GET("/api/v1/plans/{plan_id}", { params: { path: { plan_id: id } } })),
    // The stream reports when a plan's state changes; this catches the moment between two streams.
    refetchInterval: (query) => (query.state.data?.state === "planning" ? 1000 : false),
  });

const firstPage = null as string | null;
/** `sort`: undefined for the list's own order. */
const pageOf = <S extends string = never>(after: string | null, sort?: S) => ({
  params: { query: { limit: 50, ...(after ? { after } : {}), ...(sort ? { sort } : {}) } },
});

interface Touching {
  readonly host?: string | undefined;
  readonly chain?: string | undefined;
}

export interface PlanFilter extends Touching {
  readonly state?: PlanBrief["state"] | undefined;
  readonly sort?: PlanSort | undefined;
}

export const plansPages = ({ state, host, chain, sort }: PlanFilter) =>
  infiniteQueryOptions({
    queryKey: ["plans", state ?? "", host ?? "", chain ?? "", sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const filter = { ...(state ? { state } : {}), ...touching({ host, chain }) };
      const query = { ...pageOf(pageParam, sort).params.query, ...filter };
      return body(api.GET("/api/v1/plans", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

function touching({ host, chain }: Touching) {
  return { ...(host ? { host } : {}), ...(chain ? { chain } : {}) };
}

export type When = "before" | "after";

/** Interference on a host under a plan. A plan's body never changes, so neither does this, `before` apart. */
export const planInterferenceQuery = (id: number, host: string, when: When) =>
  queryOptions({
    queryKey: ["plan-interference", id, host, when],
    queryFn: () =>
      body(
        api.GET("/api/v1/plans/{plan_id}/interference", {
          params: { path: { plan_id: id }, query: { host, when } },
        }),
      ),
    staleTime: when === "after" ? Number.POSITIVE_INFINITY : 5000,
    retry: false,
  });

/** What sharing fewer cores would free on a host under a plan. */
export const planConsolidationQuery = (id: number, host: string) =>
  queryOptions({
    queryKey: ["plan-consolidation", id, host],
    queryFn: () =>
      body(api.GET("/api/v1/plans/{plan_id}/consolidation", { params: { path: { plan_id: id }, query: { host } } })),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** What a host runs against what it was ordered: its agent is asked each time. */
export const driftQuery = (host: string) =>
  queryOptions({
    queryKey: ["drift", host],
    queryFn: () => body(api.GET("/api/v1/hosts/{host_id}/drift", { params: { path: { host_id: host } } })),
    staleTime: 5000,
    retry: false,
  });

/** Interference on a host as it is ordered now. */
export const hostInterferenceQuery = (host: string) =>
  queryOptions({
    queryKey: ["host-interference", host],
    queryFn: () => body(api.GET("/api/v1/hosts/{host_id}/interference", { params: { path: { host_id: host } } })),
  });

/** What moving the NF to each core of its host is predicted to do; read anew whenever a move is thought of. */
export const moveTargetsQuery = (nfId: string) =>
  queryOptions({
    queryKey: ["move-targets", nfId],
    queryFn: () => body(api.GET("/api/v1/nfs/{nf_id}/targets", { params: { path: { nf_id: nfId } } })),
    staleTime: 2000,
    retry: false,
  });

export const comparisonQuery = (id: number) =>
  queryOptions({
    queryKey: ["comparison", id],
    queryFn: () => body(api.GET("/api/v1/comparisons/{comparison_id}", { params: { path: { comparison_id: id } } })),
    refetchInterval: (query) => (query.state.data?.plans.some(({ state }) => state === "planning") ? 1000 : false),
  });

export const COMPARISONS = ["comparisons"] as const;

export interface ComparisonFilter {
  /** Only of the fleet, or of files. */
  readonly source?: Comparison["source"] | undefined;
  /** In the name of the snapshot. */
  readonly search?: string | undefined;
  readonly sort?: ComparisonSort | undefined;
}

/** Newest first, or as they are to be sorted. */
export const comparisonsPages = ({ source, search, sort }: ComparisonFilter) =>
  infiniteQueryOptions({
    queryKey: [...COMPARISONS, source ?? "", search ?? "", sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const filter = { ...(source ? { source } : {}), ...(search ? { search } : {}) };
      const query = { ...pageOf(pageParam, sort).params.query, ...filter };
      return body(api.GET("/api/v1/comparisons", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

export interface ArtefactFilter {
  readonly kind?: FileKind | undefined;
  /** In the name, or at the start of the digest. */
  readonly search?: string | undefined;
  readonly sort?: ArtefactSort | undefined;
}

export const ARTEFACTS = ["artefacts"] as const;

export const artefactsPages = ({ kind, search, sort }: ArtefactFilter) =>
  infiniteQueryOptions({
    queryKey: [...ARTEFACTS, kind ?? "", search ?? "", sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const filter = { ...(kind ? { kind } : {}), ...(search ? { search } : {}) };
      return body(
        api.GET("/api/v1/artefacts", { params: { query: { ...pageOf(pageParam, sort).params.query, ...filter } } }),
      );
    },
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

/** What a setting of that kind may name: the newest 200. */
export const artefactChoicesQuery = (kind: FileKind) =>
  queryOptions({
    queryKey: [...ARTEFACTS, "choices", kind],
    queryFn: () => body(api.GET("/api/v1/artefacts", { params: { query: { kind, limit: 200 } } })),
  });

export const artefactQuery = (digest: string) =>
  queryOptions({
    queryKey: [...ARTEFACTS, "one", digest],
    queryFn: () => body(api.GET("/api/v1/artefacts/{digest}", { params: { path: { digest } } })),
    retry: false,
  });

export const ENROLMENTS = ["enrolments"] as const;

/** Tokens that wait; one that is used leaves the list, and no event reports it. */
export const enrolmentsQuery = (sort?: EnrolmentSort) =>
  queryOptions({
    queryKey: [...ENROLMENTS, sort ?? ""],
    queryFn: () =>
      body(api.GET("/api/v1/enrolments", { params: { query: { limit: 200, ...(sort ? { sort } : {}) } } })),
    refetchInterval: 3000,
    placeholderData: keepPreviousData,
  });

export const faultsKey = (host: string) => ["faults", host] as const;

/** What was ordered to go wrong on a simulated host; its agent alone knows, and no event reports it. */
export const faultsQuery = (host: string) =>
  queryOptions({
    queryKey: faultsKey(host),
    queryFn: () => body(api.GET("/api/v1/hosts/{host_id}/faults", { params: { path: { host_id: host } } })),
    refetchInterval: 2000,
    retry: false,
  });

export interface OperationFilter extends Touching {
  readonly state?: OperationState | undefined;
  readonly sort?: OperationSort | undefined;
}

export const operationsPages = ({ state, host, chain, sort }: OperationFilter) =>
  infiniteQueryOptions({
    queryKey: ["operations", state ?? "", host ?? "", chain ?? "", sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const filter = { ...(state ? { state } : {}), ...touching({ host, chain }) };
      const query = { ...pageOf(pageParam, sort).params.query, ...filter };
      return body(api.GET("/api/v1/operations", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

export const operationQuery = (id: number) =>
  queryOptions({
    queryKey: ["operation", id],
    queryFn: () => body(api.GET("/api/v1/operations/{operation_id}", { params: { path: { operation_id: id } } })),
  });

export const HISTORY_SECONDS = 90;

export const chainHistoryQuery = (name: string) =>
  queryOptions({
    queryKey: ["chain-history", name],
    queryFn: () =>
      body(
        api.GET("/api/v1/telemetry/chains/{name}", {
          params: { path: { name }, query: { seconds: HISTORY_SECONDS } },
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
