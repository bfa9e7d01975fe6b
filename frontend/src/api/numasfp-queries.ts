/** NUMASFP's law as operators see it: hosts, one host, and its parameters. */

import { queryOptions } from "@tanstack/react-query";
import { api, body } from "./client";
import { everyPage, WHOLE } from "./pages";
import type { NumasfpParameters, NumasfpParametersChange } from "./types";

export const NUMASFP = "numasfp";
const KEY = ["automation", NUMASFP] as const;
/** The law is evaluated each second: so is the host that somebody looks at. */
const EACH_SECOND_MS = 1_000;
/** A list is read for what stands out, not for each second. */
const LIST_MS = 4_000;

export const numasfpHostsQuery = queryOptions({
  queryKey: [...KEY, "hosts"],
  queryFn: () =>
    everyPage((after) =>
      body(api.GET("/api/v1/control/numasfp/hosts", { params: { query: { limit: WHOLE, ...after } } })),
    ),
  refetchInterval: LIST_MS,
});

export const numasfpHostQuery = (host: string) =>
  queryOptions({
    queryKey: [...KEY, "host", host],
    queryFn: () => body(api.GET("/api/v1/control/numasfp/hosts/{host_id}", { params: { path: { host_id: host } } })),
    refetchInterval: EACH_SECOND_MS,
    retry: false,
  });

/** The parameters, and the tag that a change of them must name. */
export async function readNumasfpParameters(): Promise<{ parameters: NumasfpParameters; tag: string }> {
  const asked = api.GET("/api/v1/control/numasfp/parameters");
  const parameters = await body(asked);
  return { parameters, tag: (await asked).response.headers.get("ETag") ?? "" };
}

export const numasfpParametersQuery = queryOptions({
  queryKey: [...KEY, "parameters"],
  queryFn: readNumasfpParameters,
});

/** What is left out stays as it is. `tag`: as they were seen. */
export function changeNumasfpParameters(tag: string, change: NumasfpParametersChange): Promise<NumasfpParameters> {
  const params = { header: { "If-Match": tag } };
  return body(api.PATCH("/api/v1/control/numasfp/parameters", { params, body: change }));
}
