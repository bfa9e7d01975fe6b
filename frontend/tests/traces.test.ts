/** Requests begin a trace where the console says that it sends traces, and only there. */

import { afterEach, expect, test } from "vitest";
import { api, setTraces } from "@/api/client";

const TRACEPARENT = /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/;

afterEach(() => setTraces(false));

async function sent(): Promise<string | null> {
  let header: string | null = null;
  const fetch = async (request: Request) => {
    header = request.headers.get("traceparent");
    return new Response("{}", { headers: { "Content-Type": "application/json" } });
  };
  await api.GET("/api/v1/auth/session", { baseUrl: "http://console.example", fetch });
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
