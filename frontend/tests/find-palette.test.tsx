/** The palette is drawn once before anybody opens it, and nothing of that is seen. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { act, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { FindPalette, Rehearsal } from "@/app/find-palette";

const { sent } = await vi.hoisted(() => import("./wire"));

/** What waits for an idle moment. */
const waiting = new Map<number, () => void>();
vi.stubGlobal("requestIdleCallback", (run: () => void) => {
  waiting.set(waiting.size + 1, run);
  return waiting.size;
});
vi.stubGlobal("cancelIdleCallback", (asked: number) => waiting.delete(asked));

afterEach(() => {
  waiting.clear();
  sent.length = 0;
});

async function show(part: ReactNode): Promise<() => void> {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => part }),
    history: createMemoryHistory(),
  });
  await router.load();
  const { unmount } = render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  return unmount;
}

const idle = () =>
  act(() => {
    for (const run of waiting.values()) run();
  });

it("is rehearsed in an idle moment: the page, its focus and its scrolling stay as they were", async () => {
  await show(
    <>
      <input aria-label="filter" />
      <Rehearsal />
    </>,
  );
  const field = screen.getByLabelText("filter");
  field.focus();
  const before = document.documentElement.outerHTML;
  const changes: string[] = [];
  const observer = new MutationObserver((records) => changes.push(...records.map(({ target }) => target.nodeName)));
  observer.observe(document.body, { childList: true, subtree: true });
  expect(sent).toEqual([]);
  idle();
  await vi.waitFor(() => expect(sent.map(({ path }) => path)).toContain("/nf-types?limit=200"));
  expect(document.documentElement.outerHTML).toBe(before);
  expect(document.activeElement).toBe(field);
  expect(changes).toEqual([]);
  observer.disconnect();
});

it("is not rehearsed while a window is open, nor once the frame is gone", async () => {
  await show(
    <>
      <FindPalette onClose={() => {}} />
      <Rehearsal />
    </>,
  );
  const dialogs = () => document.querySelectorAll("[role=dialog]").length;
  expect(dialogs()).toBe(1);
  const before = sent.length;
  idle();
  expect([dialogs(), sent.length]).toEqual([1, before]);
  const leave = await show(<Rehearsal />);
  expect(waiting.size).toBe(2);
  leave();
  expect(waiting.size).toBe(1);
});
