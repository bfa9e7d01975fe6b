/** Words and shapes of alerts. Pure. */

import type { Alert, AlertCounts, AlertSeverity } from "@/api/types";
import { count } from "@/lib/format";
import type { ShapeName } from "@/ui/marks";

export const SEVERITIES = ["critical", "warning", "info"] as const satisfies readonly AlertSeverity[];

export const SEVERITY_SHAPES: Record<AlertSeverity, ShapeName> = { critical: "bad", warning: "warn", info: "idle" };

/** What needs somebody now: '2 critical, 1 warning'. */
export function openText(counts: AlertCounts): string {
  const parts = SEVERITIES.filter((severity) => counts[severity] > 0).map(
    (severity) => `${counts[severity]} ${severity}`,
  );
  return parts.join(", ");
}

/** What somebody has dealt with already: '1 acknowledged, 2 silenced'. */
export function heldText({ acknowledged, silenced }: AlertCounts): string {
  const parts = [acknowledged > 0 ? `${acknowledged} acknowledged` : "", silenced > 0 ? `${silenced} silenced` : ""];
  return parts.filter(Boolean).join(", ");
}

export function worst(counts: AlertCounts): AlertSeverity | null {
  return SEVERITIES.find((severity) => counts[severity] > 0) ?? null;
}

export function openCount(counts: AlertCounts): number {
  return SEVERITIES.reduce((sum, severity) => sum + counts[severity], 0);
}

export function openTitle(counts: AlertCounts): string {
  const held = heldText(counts);
  return `${openCount(counts) > 0 ? openText(counts) : count(0, "open alert")}${held ? `; ${held}` : ""}`;
}

/** Address of what an alert is about; null where it has no page. */
export function pageOf({ object_kind, object_name }: Alert): string | null {
  switch (object_kind) {
    case "chain":
      return `/chains/${encodeURIComponent(object_name)}`;
    case "host":
      return `/hosts/${encodeURIComponent(object_name)}`;
    case "operation":
      return `/operations/${encodeURIComponent(object_name)}`;
    case "law":
      return "/automation";
    case "model":
      return "/nf-types";
    default:
      return null;
  }
}
