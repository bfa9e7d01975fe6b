/** Alerts in the top bar: how many need somebody now, by severity. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLive } from "@/live/store";
import { Shape } from "@/ui/marks";
import { openTitle, SEVERITIES, SEVERITY_SHAPES } from "./words";

export function AlertsMark(): ReactNode {
  const ready = useLive((state) => state.ready);
  const counts = useLive((state) => state.alerts);
  const shown = SEVERITIES.filter((severity) => counts[severity] > 0);
  return (
    <Link className="alerts-mark" to="/alerts" data-testid="alerts-mark" title={ready ? openTitle(counts) : "Alerts"}>
      {ready && shown.length > 0 ? (
        shown.map((severity) => (
          <span
            key={severity}
            className={`nowrap ${severity === "critical" ? "bad" : severity === "warning" ? "warn" : ""}`}
          >
            <Shape name={SEVERITY_SHAPES[severity]} />
            <b>{counts[severity]}</b>
            <span className="alerts-word"> {severity}</span>
          </span>
        ))
      ) : (
        <span>Alerts</span>
      )}
    </Link>
  );
}
