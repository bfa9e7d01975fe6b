/** What is fetched of shares. A job's end stores them without an event of their own: they are asked for. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, WHOLE } from "./pages";

export const SHARES = ["shares"] as const;

/** Every version of one NF type's shares, newest first. */
export const sharesQuery = (nfType: string) =>
  queryOptions({
    queryKey: [...SHARES, "of", nfType],
    queryFn: () =>
      everyPage((after) =>
        body(api.GET("/api/v1/shares", { params: { query: { nf_type: nfType, limit: WHOLE, ...after } } })),
      ),
    refetchInterval: 5000,
  });
