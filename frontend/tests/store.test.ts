import { afterEach, expect, it, vi } from "vitest";
import { LiveStore } from "@/live/store";
import { host, snapshot } from "./fixtures";

afterEach(() => vi.unstubAllGlobals());

it("opens a stream of its own where the shared worker cannot be had", async () => {
  const workers: { port: object; onerror: (() => void) | null }[] = [];
  vi.stubGlobal(
    "SharedWorker",
    class {
      port = { postMessage: () => {}, close: () => {} };
      onerror: (() => void) | null = null;
      constructor() {
        workers.push(this);
      }
    },
  );
  const text = `id: 1-0\ndata: ${JSON.stringify(snapshot({ hosts: [host("edge-1")] }))}\n\n`;
  const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(text)) });
  const fetcher = vi.fn(async () => new Response(body));
  vi.stubGlobal("fetch", fetcher);

  const store = new LiveStore();
  const leave = store.start();
  expect(fetcher).not.toHaveBeenCalled();
  workers[0]?.onerror?.();
  await vi.waitFor(() => expect([...store.getState().hosts.keys()]).toEqual(["edge-1"]), { timeout: 10_000 });
  leave();
});
