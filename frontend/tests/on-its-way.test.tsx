/** A press is answered before another page is drawn, and the scripts of pages come before they are asked for. */

import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from "@tanstack/react-router";
import { act, render } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { OnItsWay, usePagesAhead } from "@/app/on-its-way";
import { painted } from "@/lib/painted";

const line = () => document.querySelector(".on-its-way");

function routerOf(wait: () => Promise<unknown>, component?: unknown) {
  function Frame() {
    usePagesAhead();
    return (
      <>
        <OnItsWay />
        <Outlet />
      </>
    );
  }
  const root = createRootRoute({ component: Frame });
  const first = createRoute({ getParentRoute: () => root, path: "/" });
  const other = createRoute({
    getParentRoute: () => root,
    path: "/other",
    beforeLoad: async () => {
      await wait();
    },
    ...(component ? { component: component as never } : {}),
  });
  return createRouter({ routeTree: root.addChildren([first, other]), history: createMemoryHistory() });
}

it("shows a line from the press until the other page is there, and none for another view of the same page", async () => {
  let arrive: () => void = () => {};
  const router = routerOf(
    () =>
      new Promise<void>((done) => {
        arrive = done;
      }),
  );
  await router.load();
  render(<RouterProvider router={router as never} />);
  expect(line()).toBeNull();
  act(() => void router.navigate({ to: "/", search: { find: "edge" } as never }));
  expect(line()).toBeNull();
  await act(async () => void router.navigate({ to: "/other" as never }));
  expect(line()).not.toBeNull();
  await act(async () => arrive());
  await vi.waitFor(() => expect(line()).toBeNull());
});

it("fetches scripts in idle moments, one after the other", async () => {
  const idle: (() => void)[] = [];
  vi.stubGlobal("requestIdleCallback", (run: () => void) => idle.push(run));
  vi.stubGlobal("cancelIdleCallback", () => {});
  const preload = vi.fn(async () => {});
  const component = Object.assign(() => null, { preload });
  const router = routerOf(async () => {}, component);
  await router.load();
  render(<RouterProvider router={router as never} />);
  expect([idle.length, preload.mock.calls.length]).toEqual([1, 0]);
  for (let run = idle.shift(); run; run = idle.shift()) {
    run();
    await Promise.resolve();
  }
  expect(preload).toHaveBeenCalledTimes(1);
});

it("goes on where the browser paints nothing: a hidden page", async () => {
  vi.stubGlobal("requestAnimationFrame", () => 0);
  const before = performance.now();
  await painted();
  expect(performance.now() - before).toBeGreaterThan(90);
});

it("waits for the frame, and then no longer", async () => {
  const order: string[] = [];
  vi.stubGlobal("requestAnimationFrame", (run: () => void) =>
    setTimeout(() => {
      order.push("frame");
      run();
    }),
  );
  await painted();
  order.push("page");
  expect(order).toEqual(["frame", "page"]);
});
