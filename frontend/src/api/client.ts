/** The typed client. Every failure is thrown as a ProblemError; every write carries the CSRF token. */

import createClient, { type Middleware } from "openapi-fetch";
import { browserSpans, REPORT } from "./browser-spans";
import { networkProblem, ProblemError, problemOf } from "./problem";
import type { paths } from "./schema.gen";

let csrfToken: string | null = null;

export function setCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** What every write carries: the proof that it comes from the console, and for a POST or PATCH a key of its own. */
export function writeHeaders(method: string): Record<string, string> {
  return {
    ...(method !== "GET" && csrfToken ? { "X-CSRF-Token": csrfToken } : {}),
    ...(method === "POST" || method === "PATCH" ? { "Idempotency-Key": randomKey() } : {}),
  };
}

const guard: Middleware = {
  onRequest({ request }) {
    for (const [header, value] of Object.entries(writeHeaders(request.method))) {
      if (!request.headers.has(header)) request.headers.set(header, value);
    }
    return request;
  },
  onError({ error }) {
    return new ProblemError(networkProblem(error));
  },
};

/** `crypto.randomUUID` needs a secure context; a console reached by address over HTTP is none. */
function randomKey(bytes = 16): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}

/** W3C Trace Context: a trace that begins here. */
function newTrace(): string {
  return `00-${randomKey(16)}-${randomKey(8)}-01`;
}

export const api = createClient<paths>({ baseUrl: "/", credentials: "same-origin" });
const spans = browserSpans(
  (batch) => void api.POST(REPORT, { body: { spans: [...batch] } }).catch(() => undefined),
  newTrace,
);
api.use(guard, spans.middleware);

/** Whether the console sends traces to a collector: then every request begins one. */
export const setTraces = spans.on;

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a success; anything else is thrown. */
export async function body<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new ProblemError(problemOf(error, response));
  return data as T;
}
