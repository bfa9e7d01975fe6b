/** How long requests took, for traces: each is the first span of the trace that it begins. Sent in batches; one that is
 * lost is missing from a trace, and nothing else. */

import type { Middleware } from "openapi-fetch";
import type { components } from "./schema.gen";

type Span = components["schemas"]["BrowserSpan"];
type Send = (spans: readonly Span[]) => void;

export const REPORT = "/api/v1/browser-spans";
const EVERY_MS = 5000;
const MOST = 100;

/** A middleware for the client: `send` is given what came to an end within five seconds. Off until `on(true)`. */
export function browserSpans(
  send: Send,
  newTrace: () => string,
): { on: (on: boolean) => void; middleware: Middleware } {
  const open = new Map<string, { readonly traceparent: string; readonly at: Date; readonly ms: number }>();
  let ended: Span[] = [];
  let isWaiting = false;
  let isOn = false;

  function flush(): void {
    isWaiting = false;
    const batch = ended;
    ended = [];
    if (batch.length > 0 && isOn) send(batch);
  }

  function end(id: string, method: string, path: string, status: number | null): void {
    const begun = open.get(id);
    open.delete(id);
    if (!begun || ended.length >= MOST) return;
    ended.push({
      traceparent: begun.traceparent,
      method: method as Span["method"],
      path,
      begun_at: begun.at.toISOString(),
      duration_s: (performance.now() - begun.ms) / 1000,
      status,
    });
    if (!isWaiting) setTimeout(flush, EVERY_MS);
    isWaiting = true;
  }

  return {
    on: (on) => {
      isOn = on;
    },
    middleware: {
      onRequest({ request, schemaPath, id }) {
        if (!isOn || schemaPath === REPORT) return;
        const traceparent = newTrace();
        request.headers.set("traceparent", traceparent);
        open.set(id, { traceparent, at: new Date(), ms: performance.now() });
      },
      onResponse({ request, schemaPath, id, response }) {
        end(id, request.method, schemaPath, response.status);
      },
      onError({ request, schemaPath, id }) {
        end(id, request.method, schemaPath, null);
      },
    },
  };
}
