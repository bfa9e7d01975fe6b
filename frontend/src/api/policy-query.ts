/** Policies of control laws in the fleet, whose words change with every evaluation. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import type { Policy, PolicyView } from "./types";

/** Of re-placement. */
export const policyQuery = queryOptions({
  queryKey: ["policy"],
  queryFn: () => body(api.GET("/api/v1/policy")),
  refetchInterval: 5_000,
});

export const fleetPolicyQuery = (law: string) =>
  queryOptions({
    queryKey: ["policy", law],
    queryFn: () => body(api.GET("/api/v1/policies/{law}/fleet", { params: { path: { law } } })),
    refetchInterval: 5_000,
  });

/** `version`: as it was seen. */
export function setFleetPolicy(law: string, version: number, policy: Policy): Promise<PolicyView> {
  const params = { path: { law }, header: { "If-Match": `"${version}"` } };
  return body(api.PUT("/api/v1/policies/{law}/fleet", { params, body: policy }));
}
