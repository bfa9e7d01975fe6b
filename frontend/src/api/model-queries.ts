/** What is fetched of NF types' models: versions, fits, measured points. Fits end without an event: they are asked for. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, WHOLE } from "./pages";

export const MODELS = ["models"] as const;

/** Models that plans use, and candidates, of every NF type and host model; without their held-out samples. */
export const modelsQuery = queryOptions({
  queryKey: [...MODELS, "now"],
  queryFn: async () => {
    const [promoted, candidate] = await Promise.all(
      (["promoted", "candidate"] as const).map((state) =>
        everyPage((after) => body(api.GET("/api/v1/models", { params: { query: { state, limit: WHOLE, ...after } } }))),
      ),
    );
    return [...(promoted?.items ?? []), ...(candidate?.items ?? [])];
  },
  refetchInterval: 10_000,
});

/** Every version of one NF type, newest first; without their held-out samples. */
export const versionsQuery = (nfType: string) =>
  queryOptions({
    queryKey: [...MODELS, "of", nfType],
    queryFn: () =>
      everyPage((after) =>
        body(api.GET("/api/v1/models", { params: { query: { nf_type: nfType, limit: WHOLE, ...after } } })),
      ),
    refetchInterval: 5000,
  });

/** One version with its held-out samples. */
export const versionQuery = (id: number) =>
  queryOptions({
    queryKey: [...MODELS, "one", id],
    queryFn: () => body(api.GET("/api/v1/models/{model_id}", { params: { path: { model_id: id } } })),
  });

/** Fits of a host model, newest first. */
export const fitsQuery = (hostModel: string) =>
  queryOptions({
    queryKey: [...MODELS, "fits", hostModel],
    queryFn: () => body(api.GET("/api/v1/fits", { params: { query: { host_model: hostModel, limit: 20 } } })),
    refetchInterval: (query) => (query.state.data?.items.some(({ state }) => state === "fitting") ? 1000 : 5000),
  });

/** A fit with its metric and all models. */
export const fitQuery = (id: number) =>
  queryOptions({
    queryKey: [...MODELS, "fit", id],
    queryFn: () => body(api.GET("/api/v1/fits/{fit_id}", { params: { path: { fit_id: id } } })),
  });

/** What promoting a fit (null: all of it) would change; fails with `not-promotable` where it would be refused. */
export const promotionQuery = (fitId: number, nfType: string | null) =>
  queryOptions({
    queryKey: [...MODELS, "promotion", fitId, nfType],
    queryFn: () => {
      const query = nfType === null ? {} : { nf_type: [nfType] };
      return body(api.GET("/api/v1/fits/{fit_id}/promotion", { params: { path: { fit_id: fitId }, query } }));
    },
    retry: false,
    gcTime: 0, // asked for anew each time: somebody may have promoted another one since
  });

export const TRUST = ["trust"] as const;

/** How far each predictor is trusted: of one NF type, or of all. Outcomes come without an event. */
export const trustQuery = (nfType?: string) =>
  queryOptions({
    queryKey: [...TRUST, nfType ?? "all"],
    queryFn: () => body(api.GET("/api/v1/trust", { params: { query: nfType ? { nf_type: nfType } : {} } })),
    refetchInterval: 10_000,
  });

/** Predictions beside what came of them, newest first, of chains whose predicted bottleneck is of that NF type. */
export const outcomesQuery = (nfType: string) =>
  queryOptions({
    queryKey: [...TRUST, "outcomes", nfType],
    queryFn: () => body(api.GET("/api/v1/outcomes", { params: { query: { nf_type: nfType, limit: 50 } } })),
    refetchInterval: 10_000,
  });

/** Predictions of one chain beside what came of them, newest first. */
export const chainOutcomesQuery = (chain: string) =>
  queryOptions({
    queryKey: [...TRUST, "outcomes of chain", chain],
    queryFn: () => body(api.GET("/api/v1/outcomes", { params: { query: { chain, limit: 50 } } })),
    refetchInterval: 10_000,
  });

export const PROFILING = ["profiling"] as const;

/** Profiling jobs of an NF type, newest first. */
export const jobsOfTypeQuery = (nfType: string) =>
  queryOptions({
    queryKey: [...PROFILING, "of", nfType],
    queryFn: () => body(api.GET("/api/v1/profiling/jobs", { params: { query: { nf_type: nfType, limit: 50 } } })),
  });

/** All points of a job, in the order in which they are measured. */
export const jobPointsQuery = (id: number) =>
  queryOptions({ queryKey: [...PROFILING, "points", id], queryFn: () => allPoints(id) });

export function allPoints(job: number) {
  const path = { job_id: job };
  return everyPage((after) =>
    body(api.GET("/api/v1/profiling/jobs/{job_id}/points", { params: { path, query: { limit: WHOLE, ...after } } })),
  );
}
