/** The version of Sextant that serves this page. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";

export const versionQuery = queryOptions({
  queryKey: ["version"],
  queryFn: () => body(api.GET("/healthz")),
  staleTime: Number.POSITIVE_INFINITY,
});
