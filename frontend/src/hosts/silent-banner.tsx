/** A host that is not heard, or that has not reached its order: since when, what that means, what to do. */

import type { ReactNode } from "react";
import type { HostView } from "@/api/types";
import { duration, secondsSince } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Shape } from "@/ui/marks";
import { silentSince } from "./words";

export function SilentBanner({ host }: { host: HostView }): ReactNode {
  const now = useNow();
  if (host.status === "up" || !host.inventory) return null;
  if (host.revoked_at) return <RevokedBanner host={host} />;
  const heard = host.last_seen_at ? `, last heard ${duration(secondsSince(host.last_seen_at, now))} ago` : "";
  const stale = host.status === "stale";
  return (
    <div className="banner" role="status" data-testid="silent-host">
      <span className={`shape ${stale ? "stale" : "cross"}`} aria-hidden="true" />
      <p>
        <b className="strong">
          {host.host_id} {silentSince(host, new Date(now))}
        </b>
        {heard}. {host.status_reason.startsWith("last heard") ? "" : `${host.status_reason}. `}
        {stale
          ? "Figures are the last known ones. "
          : "Its chains probably keep running as last ordered; this is not known. "}
        <span className="t2">
          Check its agent there: <code className="command">systemctl status sextant-agent</code>, or where it runs from
          a clone <code className="command">make status</code>
        </span>
      </p>
    </div>
  );
}

/** Nothing it says is believed, so nothing else is said of it. */
function RevokedBanner({ host }: { host: HostView }): ReactNode {
  return (
    <div className="banner" role="status" data-testid="revoked-host">
      <span className="shape cross" aria-hidden="true" />
      <p>
        <b className="strong">{host.host_id} is not trusted</b>: {host.status_reason}. Its NFs keep running, but it no
        longer reports.{" "}
        <span className="t2">
          To add it again: <code className="command">sextant hosts enrol {host.host_id}</code>
        </span>
      </p>
    </div>
  );
}

/** Beside the name: silent since when, or nothing. */
export function SilentFact({ host }: { host: HostView }): ReactNode {
  const now = useNow();
  const text = silentSince(host, new Date(now));
  if (!text) return null;
  return (
    <span className="warn nowrap">
      <Shape name={host.status === "stale" ? "stale" : "cross"} />
      {text}
    </span>
  );
}
