/** Alerts: what is wrong now, what was, silences, and the rules by which alerts are found. */

import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { AlertsTable } from "@/alerts/alerts-table";
import { Channels } from "@/alerts/channels";
import { Deliveries } from "@/alerts/deliveries";
import { Rules } from "@/alerts/rules";
import { Silences } from "@/alerts/silences";
import { heldText, openCount, openText, SEVERITIES, worst } from "@/alerts/words";
import type { AlertCounts, AlertSeverity } from "@/api/types";
import { useLive } from "@/live/store";
import { cli } from "@/session/cli";
import { curls } from "@/session/curl-calls";
import { CopyButton } from "@/ui/copy-button";
import { PageTitle } from "@/ui/page-title";
import { Segmented } from "@/ui/segmented";
import { type AlertsSearch, alertsSearch, type Resorted } from "./searches";

export function AlertsPage(): ReactNode {
  const search = useSearch({ from: "/shell/alerts" });
  const { state = "firing", severity, sort } = search;
  const navigate = useNavigate({ from: "/alerts" });
  const sorted = (by: Resorted<AlertsSearch>) =>
    void navigate({ search: (old) => alertsSearch({ ...old, ...by }), replace: true });
  const counts = useLive((live) => live.alerts);
  return (
    <main className="page" id="page" tabIndex={-1}>
      <PageTitle
        name="Alerts"
        facts={<Facts counts={counts} />}
        actions={<CopyButton text={cli.alerts()} curl={curls.alerts()} />}
      />
      <search className="alerts-filter">
        <Segmented<"firing" | "resolved">
          label="State"
          value={state}
          options={[
            { key: "firing", text: "Firing" },
            { key: "resolved", text: "Resolved" },
          ]}
          onChange={(key) => void navigate({ search: (old) => ({ ...old, state: key }), replace: true })}
        />
        <Segmented<AlertSeverity | "any">
          label="Severity"
          value={severity ?? "any"}
          options={[{ key: "any", text: "any severity" }, ...SEVERITIES.map((key) => ({ key, text: key }))]}
          onChange={(key) =>
            void navigate({
              search: ({ severity: _, ...rest }) => (key === "any" ? rest : { ...rest, severity: key }),
              replace: true,
            })
          }
        />
      </search>
      <AlertsTable filter={{ state, severity, sort }} onSort={(next) => sorted({ sort: next })} />
      <Silences sort={search.silences} onSort={(silences) => sorted({ silences })} />
      <Channels sort={search.channels} onSort={(channels) => sorted({ channels })} />
      <Deliveries sort={search.deliveries} onSort={(deliveries) => sorted({ deliveries })} />
      <Rules sort={search.rules} onSort={(rules) => sorted({ rules })} />
    </main>
  );
}

function Facts({ counts }: { counts: AlertCounts }): ReactNode {
  const held = heldText(counts);
  const look = worst(counts) === "critical" ? "bad" : worst(counts) === "warning" ? "warn" : "";
  return (
    <>
      {openCount(counts) > 0 && <span className={look}>{openText(counts)}</span>}
      {held && <span>{held}</span>}
    </>
  );
}
