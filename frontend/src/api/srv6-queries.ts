/** SRv6-INT’s global loop as operators see it: hosts, one host, and its parameters. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, WHOLE } from "./pages";
import type { Srv6Parameters, Srv6ParametersChange } from "./types";

export const SRV6 = "srv6";
const KEY = ["automation", SRV6] as const;
/** The law is evaluated each second: so is the host that somebody looks at. */
const EACH_SECOND_MS = 1_000;
/** A list is read for what stands out, not for each second. */
const LIST_MS = 4_000;

export const srv6HostsQuery = queryOptions({
  queryKey: [...KEY, "hosts"],
  queryFn: () =>
    everyPage((after) =>
      body(api.GET("/api/v1/control/srv6/hosts", { params: { query: { limit: WHOLE, ...after } } })),
    ),
  refetchInterval: LIST_MS,
});

export const srv6HostQuery = (host: string) =>
  queryOptions({
    queryKey: [...KEY, "host", host],
    queryFn: () => body(api.GET("/api/v1/control/srv6/hosts/{host_id}", { params: { path: { host_id: host } } })),
    refetchInterval: EACH_SECOND_MS,
    retry: false,
  });

export const SRV6_PARAMETERS = [...KEY, "parameters"];

/** The parameters, and the tag that a change of them must name. */
export async function readSrv6Parameters(): Promise<{ parameters: Srv6Parameters; tag: string }> {
  const asked = api.GET("/api/v1/control/srv6/parameters");
  const parameters = await body(asked);
  return { parameters, tag: (await asked).response.headers.get("ETag") ?? "" };
}

/** What is left out stays as it is. `tag`: as they were seen. */
export function changeSrv6Parameters(tag: string, change: Srv6ParametersChange): Promise<Srv6Parameters> {
  const params = { header: { "If-Match": tag } };
  return body(api.PATCH("/api/v1/control/srv6/parameters", { params, body: change }));
}
