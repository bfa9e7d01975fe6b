/** One stream for all pages of a browser: what the SharedWorker runs, written so that a test can run it too. */

import type { LiveEvent } from "@/api/types";
import type { Connection, LinkStatus, StreamSink } from "./connection";
import { EMPTY, type LiveState, reduce, toSnapshot } from "./state";

export type PageMessage = { type: "join" } | { type: "leave" } | { type: "retry" } | { type: "sign-out" };

export type HubMessage =
  | { type: "events"; events: LiveEvent[] }
  | { type: "heard"; at: number }
  | { type: "status"; status: LinkStatus };

export interface PagePort {
  postMessage(message: HubMessage): void;
}

export interface Hub {
  receive(port: PagePort, message: PageMessage): void;
}

/** Opens the stream when the first page joins and closes it when the last one leaves. */
export function createHub(open: (sink: StreamSink) => Connection): Hub {
  const pages = new Set<PagePort>();
  let state: LiveState = EMPTY;
  let status: LinkStatus = "connecting";
  let heardAt = 0;
  let connection: Connection | null = null;

  const broadcast = (message: HubMessage) => {
    for (const page of pages) page.postMessage(message);
  };
  const sink: StreamSink = {
    events(events) {
      state = reduce(state, events);
      broadcast({ type: "events", events });
    },
    heard(at) {
      heardAt = at;
      broadcast({ type: "heard", at });
    },
    status(next) {
      status = next;
      if (next === "signed-out") stop();
      broadcast({ type: "status", status: next });
    },
  };

  function stop(): void {
    connection?.close();
    connection = null;
    state = EMPTY;
  }

  function join(page: PagePort): void {
    pages.add(page);
    if (!connection) connection = open(sink);
    page.postMessage({ type: "status", status });
    if (state.ready) {
      page.postMessage({ type: "events", events: [toSnapshot(state, new Date(heardAt).toISOString())] });
      page.postMessage({ type: "heard", at: heardAt });
    }
  }

  return {
    receive(page, message) {
      if (message.type === "join") join(page);
      else if (message.type === "retry") connection?.retry();
      else if (message.type === "sign-out") stop();
      else {
        pages.delete(page);
        if (pages.size === 0) stop();
      }
    },
  };
}
