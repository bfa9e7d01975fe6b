/** What is fetched of levels. A job's end stores them without an event of their own: they are asked for. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, type Page, WHOLE } from "./pages";
import type { LevelsVersion } from "./types";

export const LEVELS = ["levels"] as const;

/** Every version of one NF type's levels, newest first. To the client the pairs of a front are arrays. */
export const levelsQuery = (nfType: string) =>
  queryOptions({
    queryKey: [...LEVELS, "of", nfType],
    queryFn: () =>
      everyPage(
        (after) =>
          body(
            api.GET("/api/v1/levels", { params: { query: { nf_type: nfType, limit: WHOLE, ...after } } }),
          ) as Promise<Page<LevelsVersion>>,
      ),
    refetchInterval: 5000,
  });
