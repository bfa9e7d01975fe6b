/** What is fetched of studies; how far they are comes from the stream (live/state.ts). */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import type { StudySort } from "./sorts";
import type { StudyState } from "./types";

/** Lists and single studies, which change. */
export const STUDIES = ["studies"] as const;
/** What was asked and what was found, which never change. */
const STUDY_BODIES = ["study-bodies"] as const;
const KEPT = { staleTime: Number.POSITIVE_INFINITY, retry: false } as const;

const firstPage = null as string | null;

/** Newest first or as they are to be sorted: in one state, or in any. */
export const studiesPages = (state?: StudyState, sort?: StudySort) =>
  infiniteQueryOptions({
    queryKey: [...STUDIES, "pages", state ?? "", sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const wanted = { ...(state ? { state } : {}), ...(sort ? { sort } : {}) };
      const query = { limit: 50, ...wanted, ...(pageParam ? { after: pageParam } : {}) };
      return body(api.GET("/api/v1/studies", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });

const path = (id: number) => ({ params: { path: { study_id: id } } });

export const studyQuery = (id: number) =>
  queryOptions({
    queryKey: [...STUDIES, "one", id],
    queryFn: () => body(api.GET("/api/v1/studies/{study_id}", path(id))),
  });

export const studyScenarioQuery = (id: number) =>
  queryOptions({
    queryKey: [...STUDY_BODIES, "scenario", id],
    queryFn: () => body(api.GET("/api/v1/studies/{study_id}/scenario", path(id))),
    ...KEPT,
  });

/** With intervals; small, whatever the size of the study. */
export const studySummaryQuery = (id: number) =>
  queryOptions({
    queryKey: [...STUDY_BODIES, "summary", id],
    queryFn: () => body(api.GET("/api/v1/studies/{study_id}/summary", path(id))),
    ...KEPT,
  });

/** Every figure: up to 64 MiB, so it is forgotten with its page. */
export const studyResultQuery = (id: number) =>
  queryOptions({
    queryKey: [...STUDY_BODIES, "result", id],
    queryFn: () => body(api.GET("/api/v1/studies/{study_id}/result", path(id))),
    ...KEPT,
    gcTime: 0,
  });
