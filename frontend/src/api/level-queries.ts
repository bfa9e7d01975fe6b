/** What is fetched of levels. A job's end stores them without an event of their own: they are asked for. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, WHOLE } from "./pages";

export const LEVELS = ["levels"] as const;

/** Every version of one NF type's levels, newest first. */
export const levelsQuery = (nfType: string) =>
  queryOptions({
    queryKey: [...LEVELS, "of", nfType],
    queryFn: () =>
      everyPage((after) =>
        body(api.GET("/api/v1/levels", { params: { query: { nf_type: nfType, limit: WHOLE, ...after } } })),
      ),
    refetchInterval: 5000,
  });
