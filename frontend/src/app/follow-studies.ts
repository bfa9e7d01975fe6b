/** Refetches studies when the stream says that one began, ended or is gone; the stream itself has what lies between. */

import type { QueryClient } from "@tanstack/react-query";
import { STUDIES } from "@/api/study-queries";
import type { Study } from "@/api/types";
import { live } from "@/live/store";

export function followStudies(client: QueryClient): () => void {
  let known: ReadonlyMap<number, Study> = live.getState().studies;
  return live.subscribe(() => {
    const { studies } = live.getState();
    if (studies === known) return;
    const gone = [...known.keys()].some((id) => !studies.has(id));
    const turned = [...studies].some(([id, study]) => known.get(id)?.state !== study.state);
    if (gone || turned) void client.invalidateQueries({ queryKey: STUDIES });
    known = studies;
  });
}
