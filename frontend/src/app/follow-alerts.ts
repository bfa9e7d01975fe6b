/** Fetches lists of alerts, silences and what is about them anew when the stream says that one has changed. */

import type { QueryClient } from "@tanstack/react-query";
import { ALERTS } from "@/api/alert-queries";
import { live } from "@/live/store";

export function followAlerts(client: QueryClient): () => void {
  let known = live.getState().alerts.revision;
  return live.subscribe(() => {
    const { revision } = live.getState().alerts;
    if (revision === known) return;
    known = revision;
    void client.invalidateQueries({ queryKey: ALERTS });
  });
}
