/** The page's copy of the live state, and how components read it. */

import { useRef, useSyncExternalStore } from "react";
import type { LiveEvent } from "@/api/types";
import { type LinkStatus, openStream } from "./connection";
import { createHub, type HubMessage, type PageMessage } from "./hub";
import { EMPTY, type LiveState, reduce } from "./state";

export interface Link {
  readonly status: LinkStatus;
  /** Last time anything was heard, ms since 1970; 0 before the first. */
  readonly heardAt: number;
}

/** Paint at most this often: ten times a second is live for an eye and cheap for a thousand hosts. */
const FLUSH_MS = 100;

export class LiveStore {
  private state: LiveState = EMPTY;
  private link: Link = { status: "connecting", heardAt: 0 };
  private pending: LiveEvent[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private readonly listeners = new Set<() => void>();
  private send: ((message: PageMessage) => void) | null = null;

  readonly getState = (): LiveState => this.state;
  readonly getLink = (): Link => this.link;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Joins the browser's stream; without SharedWorker the page opens its own. Returns how to leave. */
  start(): () => void {
    const leave = typeof SharedWorker === "undefined" ? this.startAlone() : this.startShared();
    this.post({ type: "join" });
    return () => {
      this.post({ type: "leave" });
      leave();
      this.send = null;
      this.state = EMPTY;
      this.link = { status: "connecting", heardAt: 0 };
      this.pending = [];
    };
  }

  retry(): void {
    this.post({ type: "retry" });
  }

  /** Every page of this browser loses the stream: its session has ended. */
  signOut(): void {
    this.post({ type: "sign-out" });
  }

  /** What the hub says; public so that a test can say it. */
  receive(message: HubMessage): void {
    if (message.type === "events") {
      this.pending.push(...message.events);
      if (!this.state.ready) this.flush();
      else this.timer ??= setTimeout(() => this.flush(), FLUSH_MS);
      return;
    }
    this.link =
      message.type === "heard" ? { ...this.link, heardAt: message.at } : { ...this.link, status: message.status };
    if (message.type === "status") this.publish();
  }

  private post(message: PageMessage): void {
    this.send?.(message);
  }

  private startShared(): () => void {
    const worker = new SharedWorker(new URL("./worker.ts", import.meta.url), { type: "module", name: "sextant-live" });
    worker.port.onmessage = (event: MessageEvent<HubMessage>) => this.receive(event.data);
    this.send = (message) => worker.port.postMessage(message);
    // Its file is gone, or nobody lets it start: a stream of this page's own is better than none.
    worker.onerror = () => {
      if (this.link.heardAt > 0) return this.receive({ type: "status", status: "broken" });
      this.startAlone();
      this.post({ type: "join" });
    };
    const hidden = () => this.post({ type: "leave" });
    const shown = (event: PageTransitionEvent) => event.persisted && this.post({ type: "join" });
    addEventListener("pagehide", hidden);
    addEventListener("pageshow", shown);
    return () => {
      removeEventListener("pagehide", hidden);
      removeEventListener("pageshow", shown);
      worker.port.close();
    };
  }

  private startAlone(): () => void {
    const hub = createHub((sink) => openStream("/api/v1/events", sink));
    const port = { postMessage: (message: HubMessage) => this.receive(message) };
    this.send = (message) => hub.receive(port, message);
    return () => {};
  }

  private flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.state = reduce(this.state, this.pending);
    this.pending = [];
    this.publish();
  }

  private publish(): void {
    for (const listener of this.listeners) listener();
  }
}

/** The one store of this page. */
export const live = new LiveStore();

/** A part of the live state. `select` must return something with a stable identity: a map, an entry, a primitive. */
export function useLive<T>(select: (state: LiveState) => T): T {
  return useSyncExternalStore(live.subscribe, () => select(live.getState()));
}

/** Entries of the live state, found anew by each change of it: drawn anew only where one of them is another. In a fleet of
 * a thousand hosts something changes ten times a second, and of what a page shows one thing in a second. */
export function useLiveList<T>(find: (state: LiveState) => readonly T[]): readonly T[] {
  const kept = useRef<readonly T[]>([]);
  return useSyncExternalStore(live.subscribe, () => {
    const found = find(live.getState());
    const same = found.length === kept.current.length && found.every((entry, at) => entry === kept.current[at]);
    if (!same) kept.current = found;
    return kept.current;
  });
}

export function useLinkStatus(): LinkStatus {
  return useSyncExternalStore(live.subscribe, () => live.getLink().status);
}
