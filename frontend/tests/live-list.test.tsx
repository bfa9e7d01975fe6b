/** What reads entries of the live state is drawn anew where one of them is another, and not by what others do. */

import { act, cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import type { ChainView, LiveEvent } from "@/api/types";
import { live, useLiveList } from "@/live/store";
import { chain, snapshot } from "./fixtures";

afterEach(cleanup);

let drawn = 0;

function States({ names }: { names: readonly string[] }) {
  drawn += 1;
  const found = useLiveList(({ chains }) => names.flatMap((name) => chains.get(name) ?? []));
  return <p>{found.map(({ spec, state }) => `${spec.name} ${state}`).join(", ")}</p>;
}

function hear(...chains: ChainView[]): void {
  const events = chains.map((one): LiveEvent => ({ event: "chain", chain: one }));
  act(() => {
    live.receive({ type: "events", events });
    vi.advanceTimersByTime(100);
  });
}

it("is drawn anew by its own entries alone", () => {
  vi.useFakeTimers();
  live.receive({ type: "events", events: [snapshot({ chains: [chain("web"), chain("dns"), chain("mail")] })] });
  render(<States names={["web", "dns"]} />);
  expect(screen.getByText("web running, dns running")).toBeTruthy();
  const before = drawn;
  hear(chain("mail", { state: "removing" }));
  expect(drawn).toBe(before);
  hear(chain("dns", { state: "removing" }));
  expect(screen.getByText("web running, dns removing")).toBeTruthy();
  expect(drawn).toBeGreaterThan(before);
  vi.useRealTimers();
});
