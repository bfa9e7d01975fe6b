/** That another page was asked for and is not there yet, and how the pages come before they are asked for. */

import { useRouter, useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";

/** A line at the foot of the top bar. It answers the press where a page takes longer than a frame. */
export function OnItsWay(): ReactNode {
  const leaving = useRouterState({
    select: ({ isLoading, location, resolvedLocation }) =>
      isLoading && resolvedLocation !== undefined && location.pathname !== resolvedLocation.pathname,
  });
  return leaving && <i className="on-its-way" aria-hidden="true" />;
}

interface Preloaded {
  preload?: () => Promise<unknown> | undefined;
}

/** Fetches the scripts of the other pages one after the other, when the browser has nothing else to do: whoever opens one
 * then waits for none. */
export function usePagesAhead(): void {
  const router = useRouter();
  useEffect(() => {
    // Safari offers no idle times: there a page's script comes with the page.
    if (!("requestIdleCallback" in globalThis)) return;
    const routes = Object.values(router.routesById as Record<string, { options: { component?: unknown } }>);
    const waiting = routes.map(({ options }) => options.component as Preloaded | undefined);
    let asked = 0;
    const ask = () => {
      asked = requestIdleCallback(() => {
        const next = waiting.shift();
        // One that does not come is asked for again by whoever opens the page.
        if (next?.preload) void next.preload()?.then(ask);
        else if (waiting.length > 0) ask();
      });
    };
    ask();
    return () => {
      waiting.length = 0;
      cancelIdleCallback(asked);
    };
  }, [router]);
}
