/** The policy of re-placement, whose words change with every look, and races of recommended plans. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";

export const policyQuery = queryOptions({
  queryKey: ["policy"],
  queryFn: () => body(api.GET("/api/v1/policy")),
  refetchInterval: 5_000,
});

/** The race of a recommended plan; null where it had none, or where it is not kept any more. */
export const raceQuery = (plan: number) =>
  queryOptions({
    queryKey: ["race", plan],
    queryFn: async () =>
      (await body(api.GET("/api/v1/races", { params: { query: { plan, limit: 1 } } }))).items[0] ?? null,
    // Turns are seconds apart, and measurements come once it was applied.
    refetchInterval: 5_000,
  });
