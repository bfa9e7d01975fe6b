/** Requests begin a trace where the console says that it sends traces, and only there; how long they took is reported. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { browserSpans, REPORT } from "@/api/browser-spans";
import { api, setTraces } from "@/api/client";
import type { components } from "@/api/schema.gen";

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;
const BASE = { baseUrl: "http://console.example" };
let reported: components["schemas"]["BrowserSpan"][] = [];

beforeEach(() => {
  reported = [];
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async (request: Request) => {
    reported.push(...(await request.json()).spans);
    return new Response(null, { status: 204 });
  });
});

afterEach(() => {
  setTraces(false);
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

async function sent(status = 200): Promise<string | null> {
  let header: string | null = null;
  const fetch = async (request: Request) => {
    header = request.headers.get("traceparent");
    if (status === 0) throw new TypeError("no route to host");
    return new Response("{}", { status, headers: { "Content-Type": "application/json" } });
  };
  await api.GET("/api/v1/hosts/{host_id}", { ...BASE, params: { path: { host_id: "vm" } }, fetch }).catch(() => null);
  return header;
}

test("without the console's word no request names a trace", async () => {
  expect(await sent()).toBeNull();
});

test("every request begins a trace of its own", async () => {
  setTraces(true);
  const [one, other] = [await sent(), await sent()];
  expect(one).toMatch(TRACEPARENT);
  expect(other).toMatch(TRACEPARENT);
  expect(one).not.toBe(other);
});

test("what a request took is reported under the number that it was sent with, by the path's template", async () => {
  const batches: (typeof reported)[] = [];
  const { on, middleware } = browserSpans(
    (batch) => batches.push([...batch]),
    () => "00-a-b-01",
  );
  on(true);
  const of = { schemaPath: "/api/v1/hosts/{host_id}", id: "1" } as never as Parameters<
    NonNullable<typeof middleware.onRequest>
  >[0];
  const request = new Request("http://console.example/api/v1/hosts/vm");
  await middleware.onRequest?.({ ...of, request });
  vi.advanceTimersByTime(250);
  await middleware.onResponse?.({ ...of, request, response: new Response("{}", { status: 404 }) } as never);
  vi.advanceTimersByTime(4999);
  expect(batches).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(batches).toEqual([
    [
      expect.objectContaining({
        traceparent: "00-a-b-01",
        method: "GET",
        path: "/api/v1/hosts/{host_id}",
        duration_s: 0.25,
        status: 404,
      }),
    ],
  ]);
  expect(request.headers.get("traceparent")).toBe("00-a-b-01");
});

test("a request without an answer is reported, and the report itself is not", async () => {
  const batches: (typeof reported)[] = [];
  const { on, middleware } = browserSpans(
    (batch) => batches.push([...batch]),
    () => "00-a-b-01",
  );
  on(true);
  const request = new Request("http://console.example/x", { method: "POST" });
  for (const [id, schemaPath] of [
    ["1", "/api/v1/chains"],
    ["2", REPORT],
  ]) {
    await middleware.onRequest?.({ id, schemaPath, request } as never);
    await middleware.onError?.({ id, schemaPath, request } as never);
  }
  vi.advanceTimersByTime(5000);
  expect(batches.flat().map(({ path, status }) => [path, status])).toEqual([["/api/v1/chains", null]]);
});
