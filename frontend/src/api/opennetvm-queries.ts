/** Placements as OpenNetVM's start commands. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";

/** Of what the host is ordered to run now. */
export const hostStartCommandsQuery = (host: string) =>
  queryOptions({
    queryKey: ["start-commands", "host", host],
    queryFn: () => body(api.GET("/api/v1/hosts/{host_id}/start-commands", { params: { path: { host_id: host } } })),
    retry: false,
  });

/** Of what a plan orders, which never changes. */
export const planStartCommandsQuery = (id: number, host: string) =>
  queryOptions({
    queryKey: ["start-commands", "plan", id, host],
    queryFn: () =>
      body(api.GET("/api/v1/plans/{plan_id}/start-commands", { params: { path: { plan_id: id }, query: { host } } })),
    retry: false,
  });
