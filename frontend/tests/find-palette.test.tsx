/** The palette: drawn once before anybody opens it, of which nothing is seen; then found by, and gone, with the keyboard. */

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from "@tanstack/react-router";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { type ReactNode, useState } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { findEntries } from "@/app/find";
import { FindPalette, Rehearsal } from "@/app/find-palette";
import { EMPTY } from "@/live/state";

const { sent } = await vi.hoisted(() => import("./wire"));

/** What waits for an idle moment. */
const waiting = new Map<number, () => void>();
vi.stubGlobal("requestIdleCallback", (run: () => void) => {
  waiting.set(waiting.size + 1, run);
  return waiting.size;
});
vi.stubGlobal("cancelIdleCallback", (asked: number) => waiting.delete(asked));

const DOING = { "show-keys": vi.fn(), "sign-out": vi.fn() };

afterEach(() => {
  vi.clearAllMocks();
  waiting.clear();
  sent.length = 0;
});

let history = createMemoryHistory();
const went = () => history.location.pathname;

async function show(part: ReactNode): Promise<() => void> {
  history = createMemoryHistory();
  const router = createRouter({
    routeTree: createRootRoute({ component: () => part, notFoundComponent: () => part }),
    history,
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
      <FindPalette onClose={() => {}} doing={DOING} />
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

/** The palette over a button that had the focus; what is done there is noted. */
async function opened(): Promise<{ field: HTMLInputElement; closed: () => number; options: () => string[] }> {
  let closed = 0;
  function Page(): ReactNode {
    const [open, setOpen] = useState(false);
    const close = () => {
      closed += 1;
      setOpen(false);
    };
    return (
      <>
        <button type="button" onClick={() => setOpen(true)}>
          open
        </button>
        {open && <FindPalette onClose={close} doing={DOING} />}
      </>
    );
  }
  await show(<Page />);
  const opener = screen.getByRole("button", { name: "open" });
  opener.focus();
  await userEvent.click(opener);
  return {
    field: screen.getByRole("searchbox", { name: "Find or do" }),
    closed: () => closed,
    options: () => screen.queryAllByRole("menuitem").map(({ textContent }) => textContent ?? ""),
  };
}

const chosen = () => screen.queryAllByRole("menuitem").find((one) => one.dataset.focused !== undefined)?.textContent;

it("is used with the keyboard alone: arrows choose, round the ends, and the field keeps the focus", async () => {
  const { field, options } = await opened();
  expect(document.activeElement).toBe(field);
  expect(chosen()).toBeUndefined();
  await userEvent.keyboard("{ArrowUp}");
  expect(chosen()).toBe(options().at(-1));
  await userEvent.keyboard("{ArrowDown}");
  expect(chosen()).toBe(options()[0]);
  expect(field.getAttribute("aria-activedescendant")).toBe(screen.getAllByRole("menuitem")[0]?.id);
  await userEvent.tab();
  expect(document.activeElement).toBe(field);
});

it("chooses the best match of what is typed, and Enter goes there", async () => {
  const { closed } = await opened();
  await userEvent.keyboard("audit");
  expect(chosen()).toContain("Audit");
  await userEvent.keyboard("{Enter}");
  expect(closed()).toBe(1);
  expect(went()).toBe("/audit");
});

it("does nothing on Enter before anything is chosen", async () => {
  const { closed } = await opened();
  await userEvent.keyboard("{Enter}");
  expect([closed(), went()]).toEqual([0, "/"]);
});

it("clears the text with Esc, closes with the next, and gives the focus back", async () => {
  const { field, closed } = await opened();
  await userEvent.keyboard("zzz");
  expect(screen.getByRole("status").textContent).toBe("No match. Clear the text with Esc.");
  await userEvent.keyboard("{Escape}");
  expect([field.value, closed()]).toEqual(["", 0]);
  await userEvent.keyboard("{Escape}");
  expect(closed()).toBe(1);
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "open" }));
});

it("closes on a press beside it, and not on one within it", async () => {
  const { closed } = await opened();
  await userEvent.click(screen.getByRole("dialog"));
  expect(closed()).toBe(0);
  const ground = document.querySelector(".modal-ground");
  if (ground) await userEvent.click(ground);
  expect(closed()).toBe(1);
});

it("goes where it is pressed", async () => {
  await opened();
  await userEvent.click(screen.getByRole("menuitem", { name: /^Chains/ }));
  expect(went()).toBe("/chains");
});

it("does what is no page: signs out, shows the keys", async () => {
  const { closed } = await opened();
  await userEvent.keyboard("sign out{Enter}");
  expect(DOING["sign-out"]).toHaveBeenCalledTimes(1);
  expect([closed(), went()]).toEqual([1, "/"]);
});

it.each([
  ["silence", "Alerts"],
  ["password", "My account"],
  ["identity", "Users"],
  ["races", "Compare algorithms"],
  ["recommendations", "Automation"],
  ["octans", "Octans re-placement"],
  ["shared", "Shared cores"],
  ["add host", "Add host"],
  ["re-place", "Re-place fleet"],
  ["stop all", "Stop all automation"],
  ["keys", "Keys"],
  ["dark", "Theme"],
])("finds %s", (text, found) => {
  expect(findEntries(text, EMPTY, [], "admin").map((entry) => entry.text)).toContain(found);
});
