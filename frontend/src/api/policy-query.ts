/** The policy of re-placement, whose words change with every evaluation. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";

export const policyQuery = queryOptions({
  queryKey: ["policy"],
  queryFn: () => body(api.GET("/api/v1/policy")),
  refetchInterval: 5_000,
});
