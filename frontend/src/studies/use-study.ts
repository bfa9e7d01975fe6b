/** A study as it is now: what was fetched, brought up to date by the stream. */

import { useQuery } from "@tanstack/react-query";
import { studyQuery } from "@/api/study-queries";
import type { Study, StudyState } from "@/api/types";
import { useLive } from "@/live/store";

export function useStudy(id: number): { study: Study | undefined; error: Error | null } {
  const { data, error } = useQuery(studyQuery(id));
  const pushed = useLive((state) => state.studies.get(id));
  const study = pushed && (!data || pushed.version >= data.version) ? pushed : data;
  // One that was removed while it was looked at is gone, whatever was fetched of it before.
  return { study: error && !pushed ? undefined : study, error: pushed ? null : error };
}

/** Newest first. `only`: in this state. */
export function mergedStudies(fetched: readonly Study[], live: ReadonlyMap<number, Study>, only?: StudyState): Study[] {
  const all = new Map(fetched.map((study) => [study.id, study]));
  for (const [id, study] of live) {
    const known = all.get(id);
    if (!known || study.version >= known.version) all.set(id, study);
  }
  return [...all.values()].filter(({ state }) => !only || state === only).sort((a, b) => b.id - a.id);
}
