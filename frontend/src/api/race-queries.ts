/** Races: of one plan, all of them, and algorithms ranked over them. */

import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import type { RaceSort } from "./sorts";

/** Turns are seconds apart, and measurements come once a plan was applied. */
const FOLLOWED_MS = 5_000;
const RANKING_MS = 15_000;
const SIZE = 10;

/** The race of a plan; null where it had none, or where it is not kept any more. */
export const raceQuery = (plan: number) =>
  queryOptions({
    queryKey: ["race", plan],
    queryFn: async () =>
      (await body(api.GET("/api/v1/races", { params: { query: { plan, limit: 1 } } }))).items[0] ?? null,
    refetchInterval: ({ state: { data } }) =>
      data?.state === "scored" || data?.state === "ended" ? false : FOLLOWED_MS,
  });

const only = (hostModel: string | null) => (hostModel === null ? {} : { host_model: hostModel });

export const rankingQuery = (hostModel: string | null) =>
  queryOptions({
    queryKey: ["race-ranking", hostModel],
    queryFn: () => body(api.GET("/api/v1/races/ranking", { params: { query: only(hostModel) } })),
    refetchInterval: RANKING_MS,
  });

const firstPage = null as string | null;

/** Newest first, or as they are to be sorted. */
export const racesPages = (hostModel: string | null, sort?: RaceSort) =>
  infiniteQueryOptions({
    queryKey: ["races", hostModel, sort ?? ""],
    initialPageParam: firstPage,
    queryFn: ({ pageParam }) => {
      const wanted = { limit: SIZE, ...only(hostModel), ...(sort ? { sort } : {}) };
      const query = { ...wanted, ...(pageParam === null ? {} : { after: pageParam }) };
      return body(api.GET("/api/v1/races", { params: { query } }));
    },
    getNextPageParam: (page) => page.next,
    refetchInterval: RANKING_MS,
    placeholderData: keepPreviousData,
  });
