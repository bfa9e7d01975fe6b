/** What control laws recommended: all of it, and what a plan was made for. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import type { RecommendationSort } from "./sorts";
import type { Recommendation } from "./types";

/** What it gained is measured within a minute after its plan was applied. */
const FOLLOWED_MS = 5_000;

/** Null where an operator asked for the plan, or where it is not kept any more. */
export const recommendationOfQuery = (plan: number) =>
  queryOptions({
    queryKey: ["recommendation", plan],
    queryFn: async () =>
      (await body(api.GET("/api/v1/recommendations", { params: { query: { plan, limit: 1 } } }))).items[0] ?? null,
    refetchInterval: FOLLOWED_MS,
  });

export interface RecommendationFilter {
  readonly law?: string | undefined;
  readonly state?: Recommendation["state"] | undefined;
  readonly sort?: RecommendationSort | undefined;
}

const firstPage = null as string | null;
const SIZE = 20;

/** Newest first, or as they are to be sorted. */
export const recommendationsPages = ({ law, state, sort }: RecommendationFilter) =>
  infiniteQueryOptions({
    queryKey: ["recommendations", law ?? "", state ?? "", sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const wanted = { ...(law ? { law } : {}), ...(state ? { state } : {}), ...(sort ? { sort } : {}) };
      const query = { limit: SIZE, ...wanted, ...(pageParam ? { after: pageParam } : {}) };
      return body(api.GET("/api/v1/recommendations", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    refetchInterval: FOLLOWED_MS,
    placeholderData: keepPreviousData,
  });
