import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { LiveEvent } from "@/api/types";
import { type LinkStatus, openStream, type StreamSink } from "@/live/connection";
import { freshnessAt, STALE_AFTER_MS, staleReason, staleText } from "@/live/freshness";
import { createHub, type HubMessage } from "@/live/hub";
import { chain, host, snapshot } from "./fixtures";

/** A stream that the test writes to and breaks. */
function fakeBackend() {
  const requests: Headers[] = [];
  let writer: ReadableStreamDefaultController<Uint8Array> | null = null;
  let status = 200;
  const fetcher = vi.fn(async (_url: unknown, init?: RequestInit) => {
    requests.push(new Headers(init?.headers));
    if (status !== 200) return new Response(null, { status });
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        writer = controller;
        init?.signal?.addEventListener("abort", () => controller.error(new Error("aborted")));
      },
    });
    return new Response(body, { status: 200 });
  });
  return {
    fetcher: fetcher as unknown as typeof fetch,
    requests,
    answer: (next: number) => {
      status = next;
    },
    write: (text: string | Uint8Array) =>
      writer?.enqueue(typeof text === "string" ? new TextEncoder().encode(text) : text),
    end: () => writer?.close(),
  };
}

function recorder() {
  const events: LiveEvent[] = [];
  const statuses: LinkStatus[] = [];
  let heard = 0;
  const sink: StreamSink = {
    events: (next) => events.push(...next),
    heard: () => {
      heard += 1;
    },
    status: (next) => statuses.push(next),
  };
  return { sink, events, statuses, heard: () => heard };
}

describe("connection", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("comes back by itself and says how far it had read", async () => {
    const backend = fakeBackend();
    const seen = recorder();
    const connection = openStream("/events", seen.sink, backend.fetcher);
    await vi.advanceTimersByTimeAsync(0);
    backend.write(`id: 4-2\ndata: ${JSON.stringify(snapshot())}\n\n`);
    await vi.advanceTimersByTimeAsync(0);
    expect(seen.events.map((event) => event.event)).toEqual(["snapshot"]);
    backend.end();
    await vi.advanceTimersByTimeAsync(300);
    expect(seen.statuses).toEqual(["connecting", "open", "broken", "connecting", "open"]);
    expect(backend.requests[0]?.get("Last-Event-ID")).toBeNull();
    expect(backend.requests[1]?.get("Last-Event-ID")).toBe("4-2");
    connection.close();
  });

  it("takes pieces that end anywhere, within a line's end and within a character as well", async () => {
    const backend = fakeBackend();
    const seen = recorder();
    const connection = openStream("/events", seen.sink, backend.fetcher);
    await vi.advanceTimersByTimeAsync(0);
    const text = JSON.stringify(snapshot({ hosts: [host("zürich-1")] }));
    const whole = new TextEncoder().encode(`: alive\r\n\r\nid: 5-0\r\ndata: ${text}\r\n\r\n`);
    for (const byte of whole) backend.write(Uint8Array.of(byte));
    await vi.advanceTimersByTimeAsync(0);
    expect(seen.events).toEqual([snapshot({ hosts: [host("zürich-1")] })]);
    backend.end();
    await vi.advanceTimersByTimeAsync(300);
    expect(backend.requests[1]?.get("Last-Event-ID")).toBe("5-0");
    connection.close();
  });

  it("forgets half a message with the line that broke in it", async () => {
    const backend = fakeBackend();
    const seen = recorder();
    const connection = openStream("/events", seen.sink, backend.fetcher);
    await vi.advanceTimersByTimeAsync(0);
    backend.write(`id: 6-0\ndata: {"event":`);
    await vi.advanceTimersByTimeAsync(0);
    backend.end();
    await vi.advanceTimersByTimeAsync(300);
    backend.write(`data: ${JSON.stringify(snapshot())}\n\n`);
    await vi.advanceTimersByTimeAsync(0);
    expect(seen.events).toEqual([snapshot()]);
    expect(backend.requests[1]?.get("Last-Event-ID")).toBeNull();
    connection.close();
  });

  it("hears a heartbeat, which is no event", async () => {
    const backend = fakeBackend();
    const seen = recorder();
    const connection = openStream("/events", seen.sink, backend.fetcher);
    await vi.advanceTimersByTimeAsync(0);
    backend.write(": alive\n\n");
    await vi.advanceTimersByTimeAsync(0);
    expect(seen.heard()).toBe(1);
    expect(seen.events).toEqual([]);
    connection.close();
  });

  it("gives up a line on which nothing came for 10 s", async () => {
    const backend = fakeBackend();
    const seen = recorder();
    const connection = openStream("/events", seen.sink, backend.fetcher);
    await vi.advanceTimersByTimeAsync(10_300);
    expect(backend.requests.length).toBe(2);
    connection.close();
  });

  it("waits at most 2 s between tries, so that it is back within 3 s", async () => {
    const backend = fakeBackend();
    backend.answer(503);
    const connection = openStream("/events", recorder().sink, backend.fetcher);
    await vi.advanceTimersByTimeAsync(20_000);
    const before = backend.requests.length;
    await vi.advanceTimersByTimeAsync(2_000);
    expect(backend.requests.length).toBe(before + 1);
    connection.close();
  });

  it("stops where the session has ended", async () => {
    const backend = fakeBackend();
    backend.answer(401);
    const seen = recorder();
    openStream("/events", seen.sink, backend.fetcher);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(seen.statuses).toEqual(["connecting", "signed-out"]);
    expect(backend.requests.length).toBe(1);
  });
});

describe("hub", () => {
  function page() {
    const messages: HubMessage[] = [];
    return { messages, port: { postMessage: (message: HubMessage) => messages.push(message) } };
  }

  it("shares one stream, gives a later page a snapshot, and closes with the last", () => {
    let sink: StreamSink | null = null;
    const close = vi.fn();
    const open = vi.fn((next: StreamSink) => {
      sink = next;
      return { close, retry: () => {} };
    });
    const hub = createHub(open);
    const [first, second] = [page(), page()];
    hub.receive(first.port, { type: "join" });
    (sink as StreamSink | null)?.events([
      snapshot({ hosts: [host("edge-1")] }),
      { event: "chain", chain: chain("web") },
    ]);
    hub.receive(second.port, { type: "join" });
    expect(open).toHaveBeenCalledTimes(1);
    const given = second.messages.find((message) => message.type === "events");
    expect(given?.type === "events" && given.events[0]).toMatchObject({
      event: "snapshot",
      hosts: [{ host_id: "edge-1" }],
      chains: [{ spec: { name: "web" } }],
    });
    hub.receive(first.port, { type: "leave" });
    expect(close).not.toHaveBeenCalled();
    hub.receive(second.port, { type: "leave" });
    expect(close).toHaveBeenCalledTimes(1);
  });
});

describe("freshness", () => {
  const link = { status: "open" as const, heardAt: 1_000_000 };

  it("is stale soon enough that the banner stands within 5 s", () => {
    expect(freshnessAt(link, 1_000_000 + STALE_AFTER_MS).stale).toBe(false);
    expect(freshnessAt(link, 1_000_000 + 4_000).stale).toBe(true);
    expect(STALE_AFTER_MS + 500).toBeLessThanOrEqual(5_000);
  });

  it("is not stale before anything was heard: that is loading", () => {
    expect(freshnessAt({ status: "connecting", heardAt: 0 }, 1_000_000).stale).toBe(false);
  });

  it("says so, and why a button is disabled", () => {
    const old = freshnessAt(link, 1_008_000);
    expect(staleText(old)).toMatch(/^No data for 8\.0 s\. Figures are from \d\d:\d\d:40\.$/);
    expect(staleReason(old)).toBe("The data is 8.0 s old. Wait until the stream is back.");
    expect(staleReason(freshnessAt(link, 1_000_500))).toBeNull();
  });
});
