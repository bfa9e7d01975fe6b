/** Beside a table's head: what kind of figures it shows, or since when they are no longer reported. */

import type { ReactNode } from "react";
import { when } from "@/lib/format";
import { Mark, Shape } from "@/ui/marks";
import type { HostData } from "./use-host";

export function FiguresNote({ data }: { data: Pick<HostData, "host" | "figures"> }): ReactNode {
  const { host, figures } = data;
  if (figures === "present") {
    return (
      <>
        <Mark origin={host.provenance} />
        {host.provenance}
      </>
    );
  }
  if (figures === "none") return <>no figures are known now</>;
  return (
    <span className="warn">
      <Shape name="stale" />
      last known, {when(host.sampled_at)}
    </span>
  );
}
