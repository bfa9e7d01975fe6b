/** What applied plans predict of chains as they stand, beside what they carry. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";

/** Of one host, or of the whole fleet; figures are means of ten seconds, and no event tells of them. */
export const predictionsQuery = (host?: string) =>
  queryOptions({
    queryKey: ["predictions", host ?? "fleet"],
    queryFn: () => body(api.GET("/api/v1/predictions", { params: { query: host ? { host } : {} } })),
    refetchInterval: 5000,
  });
