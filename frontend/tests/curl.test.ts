/** 'Copy as curl': whatever names and texts are in it, a POSIX shell runs it, and what arrives is what was asked. */

import { execFile } from "node:child_process";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { PolicyView } from "@/api/types";
import { requests } from "@/automation/policy-steps";
import { curl } from "@/session/curl";
import { curls } from "@/session/curl-calls";

const run = promisify(execFile);

interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let server: Server;
const arrived: Arrived[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      arrived.push({ method, url, headers, body: Buffer.concat(parts).toString() });
      response.setHeader("ETag", '"7"');
      response.end("{}");
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  vi.stubGlobal("location", { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});

afterAll(() => {
  vi.unstubAllGlobals();
  server.close();
});

beforeEach(() => {
  arrived.length = 0;
});

/** What came of it; the last request that arrived. */
async function shell(text: string): Promise<Arrived> {
  const done = await run("/bin/sh", ["-c", text], { env: { PATH: process.env.PATH ?? "", SEXTANT_TOKEN: "sxt_mine" } });
  expect([done.stdout, done.stderr]).toEqual(["{}", ""]);
  return arrived.at(-1) as Arrived;
}

const PIECES = [
  ..."'\"`$\\!*?[]{}()<>|&;#~%@:/=+-., \t\n\r",
  ...[
    "$(touch hacked)",
    "`id`",
    "';id;'",
    "\\'",
    "EOF",
    "ä",
    "漢",
    "😀",
    "a",
    "-d",
    "@/etc/passwd",
    "%00",
    "..",
    "\u0001",
  ],
];

/** Texts made of pieces, always the same ones: a linear congruential generator (Numerical Recipes, 7.1). */
function* texts(count: number): Generator<string> {
  let state = 20261126;
  const next = (below: number) => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let at = 0; at < count; at += 1) {
    yield Array.from({ length: 1 + next(8) }, () => PIECES[next(PIECES.length)]).join("");
  }
}

describe("a request as curl", () => {
  it("carries any text in its path, its query and its body as it is", { timeout: 60_000 }, async () => {
    for (const text of texts(60)) {
      const request = { path: { name: text }, query: { search: text }, body: { note: text, [text]: [text] } };
      const got = await shell(curl("PATCH", "/api/v1/users/{name}", request));
      const [path = "", query = ""] = got.url.split("?");
      // curl takes out '.' and '..' as a segment of their own, as browsers do; no name of the API is one.
      if (text !== "." && text !== "..") expect(decodeURIComponent(path.slice("/api/v1/users/".length))).toBe(text);
      expect(decodeURIComponent(query.slice("search=".length))).toBe(text);
      expect(JSON.parse(got.body)).toEqual(request.body);
      expect(got.method).toBe("PATCH");
    }
  });

  it("has no token in it, and sends that of the shell", async () => {
    const text = curls.rejectPlan(3);
    expect(text).toContain('"Authorization: Bearer $SEXTANT_TOKEN"');
    const got = await shell(text);
    expect([got.method, got.url, got.headers.authorization]).toEqual([
      "POST",
      "/api/v1/plans/3/reject",
      "Bearer sxt_mine",
    ]);
  });

  it("names the plan's digest, so that exactly this plan is applied", async () => {
    const got = await shell(curls.applyPlan(3, "sha256:ab", 2, null));
    expect(got.headers["if-match"]).toBe('"sha256:ab"');
    expect([got.headers["content-type"], got.body]).toEqual(["application/json", '{"hosts_at_once":2}']);
  });

  it("sends what the form sends: all reserved cores at once, by the version that was seen", async () => {
    const got = await shell(curls.setReservedCores("edge-1", 4, [3, 5], "IRQs"));
    expect([got.method, got.url, got.headers["if-match"], got.body]).toEqual([
      "PUT",
      "/api/v1/hosts/edge-1/reserved-cores",
      '"4"',
      '{"cores":[3,5],"reason":"IRQs"}',
    ]);
  });

  it("sets a step of the policy as two requests, the host's first", async () => {
    const view = { version: 7, policy: { mode: "recommend", hold_rounds: 3 } } as unknown as PolicyView;
    await run("/bin/sh", ["-c", requests("octans", { host: "clear", fleet: "automatic" }, "edge-1", view)]);
    expect(arrived.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
      "DELETE /api/v1/policies/octans/host/edge-1 ",
      'PUT /api/v1/policies/octans/fleet {"mode":"automatic","hold_rounds":3}',
    ]);
  });

  it("registers an NF type, and changes one by the version that was seen", async () => {
    const registered = { name: "edge-firewall", implementation: "firewall", config: { rules: 64 } };
    const first = await shell(curls.registerNfType(registered));
    expect([first.method, first.url, JSON.parse(first.body)]).toEqual(["POST", "/api/v1/nf-types", registered]);
    const second = await shell(curls.updateNfType("edge-firewall", '"2"', { config: { rules: 128 } }));
    expect([second.method, second.url, second.headers["if-match"], second.body]).toEqual([
      "PUT",
      "/api/v1/nf-types/edge-firewall",
      '"2"',
      '{"config":{"rules":128}}',
    ]);
  });

  it("compares algorithms as the form does", async () => {
    const asked = { algorithms: ["octans"], timeLimitS: 2, label: null, snapshot: null } as const;
    const got = await shell(curls.compare({ ...asked, intent: { kind: "place", chain: "web" } }));
    expect([got.url, JSON.parse(got.body)]).toEqual([
      "/api/v1/comparisons",
      {
        intent: { kind: "place", chain: "web" },
        algorithms: ["octans"],
        time_limit_s: 2,
        seed: 0,
        max_moves: null,
        label: null,
        snapshot: null,
      },
    ]);
  });

  it("reads the ETag where the console has none", async () => {
    const got = await shell(curls.deleteChain("web"));
    expect(arrived.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /api/v1/chains/web",
      "DELETE /api/v1/chains/web",
    ]);
    expect(got.headers["if-match"]).toBe('"7"');
  });

  it("leaves out what is not asked for, and makes moments of spans", async () => {
    expect((await shell(curls.raceRanking(null))).url).toBe("/api/v1/races/ranking");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-11-26T12:00:00Z") });
    const text = curls.chainHistory("web", "2h", null);
    vi.useRealTimers();
    expect((await shell(text)).url).toBe("/api/v1/chains/web/history?from=2026-11-26T10%3A00%3A00.000Z");
  });
});
