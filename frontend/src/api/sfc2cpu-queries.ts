/** Cores that several NFs of a host share, each second. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";

const EACH_SECOND_MS = 1_000;

export const sharedCoresQuery = (host: string) =>
  queryOptions({
    queryKey: ["automation", "sfc2cpu", "host", host],
    queryFn: () => body(api.GET("/api/v1/control/sfc2cpu/hosts/{host_id}", { params: { path: { host_id: host } } })),
    refetchInterval: EACH_SECOND_MS,
    retry: false,
  });
