/** The width an element has, in CSS pixels, followed as it changes. */

import { useLayoutEffect, useState } from "react";

/** `first`: what to draw with before the element was measured. */
export function useWidth(first: number) {
  const [element, setElement] = useState<HTMLDivElement | null>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    if (!element) return;
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return { width, ref: setElement };
}
