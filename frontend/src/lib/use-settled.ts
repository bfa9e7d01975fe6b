/** What is typed, once typing has paused: requests are made of that. */

import { useEffect, useState } from "react";

export const SETTLED_MS = 300;

/** A value once it has not changed for a while; nothing at once. */
export function useSettled(value: string | null): string | null {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (value === null) {
      setSettled(null);
      return;
    }
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
