/** Beside a head: what kind of figures it shows, or since when they are no longer reported. */

import type { ReactNode } from "react";
import { when } from "@/lib/format";
import { Mark, Shape } from "@/ui/marks";
import type { HostData } from "./use-host";

export function FiguresNote(props: { data: Pick<HostData, "host" | "figures">; short?: boolean }): ReactNode {
  const { host, figures } = props.data;
  if (figures === "present") {
    return (
      <>
        <Mark origin={host.provenance} />
        {!props.short && host.provenance}
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
