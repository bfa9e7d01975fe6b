/** Keeps one event stream open: reconnects with Last-Event-ID, notices a half-open line, says what it hears. Reads the
 * bytes itself: EventSource hides comment lines, and they are the heartbeat. */

import { createParser } from "eventsource-parser";
import type { LiveEvent } from "@/api/types";

export type LinkStatus = "connecting" | "open" | "broken" | "signed-out";

export interface StreamSink {
  events(events: LiveEvent[]): void;
  /** Bytes of any kind arrived at this time (ms since 1970): events and heartbeats alike. */
  heard(atMs: number): void;
  status(status: LinkStatus): void;
}

export interface Connection {
  close(): void;
  /** Reconnects now instead of after the pause. */
  retry(): void;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2000;
/** No byte for so long means the line is dead although nobody closed it. */
const SILENCE_MS = 10_000;

/** Opens `url`; works the same in a page and in a worker. */
export function openStream(url: string, sink: StreamSink, fetcher: typeof fetch = fetch): Connection {
  let closed = false;
  let lastId: string | null = null;
  let pause = FIRST_PAUSE_MS;
  let abort = new AbortController();
  let wake: (() => void) | null = null;

  async function attempt(): Promise<void> {
    abort = new AbortController();
    const silence = watchdog(() => abort.abort(), SILENCE_MS);
    try {
      sink.status("connecting");
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (lastId !== null) headers["Last-Event-ID"] = lastId;
      const response = await fetcher(url, { headers, signal: abort.signal, cache: "no-store" });
      if (response.status === 401) {
        closed = true;
        sink.status("signed-out");
        return;
      }
      if (!response.ok || !response.body) throw new Error(`The event stream answered ${response.status}`);
      sink.status("open");
      await read(response.body, silence.reset);
    } finally {
      silence.stop();
    }
  }

  async function read(body: ReadableStream<Uint8Array>, alive: () => void): Promise<void> {
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let events: LiveEvent[] = [];
    const parser = createParser({
      onEvent({ id, data }) {
        events.push(JSON.parse(data) as LiveEvent);
        if (id !== undefined) lastId = id;
      },
    });
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      pause = FIRST_PAUSE_MS;
      events = [];
      parser.feed(decoder.decode(value, { stream: true }));
      if (events.length > 0) sink.events(events);
      sink.heard(Date.now());
    }
  }

  async function run(): Promise<void> {
    while (!closed) {
      try {
        await attempt();
      } catch {
        // Whatever broke the stream, the answer is the same: say so, wait, connect again.
      }
      if (closed) return;
      sink.status("broken");
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, pause);
      });
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }

  void run();
  return {
    close() {
      closed = true;
      abort.abort();
      wake?.();
    },
    retry() {
      pause = FIRST_PAUSE_MS;
      wake?.();
    },
  };
}

function watchdog(fire: () => void, ms: number): { reset: () => void; stop: () => void } {
  let timer = setTimeout(fire, ms);
  return {
    reset() {
      clearTimeout(timer);
      timer = setTimeout(fire, ms);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}
