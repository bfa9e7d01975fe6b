/** With whom tied NFs share their core, as the whole fleet has it now. */

import { useMemo } from "react";
import { useLiveList } from "@/live/store";
import { isTied, tiedWith } from "./ties";

export function useTies(): ReadonlyMap<string, readonly string[]> {
  const chains = useLiveList((state) => [...state.chains.values()].filter(isTied));
  return useMemo(() => tiedWith(chains), [chains]);
}
