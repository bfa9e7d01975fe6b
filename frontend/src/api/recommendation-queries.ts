/** The recommendation that a plan was made for. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";

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
