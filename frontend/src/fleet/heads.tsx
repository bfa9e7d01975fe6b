/** Words over the canvas: rack and zone names, and up to `compact` the hosts' names, states and sums. */

import { Link } from "@tanstack/react-router";
import { memo, type ReactNode } from "react";
import type { HostView } from "@/api/types";
import { count, figure } from "@/lib/format";
import { useNow } from "@/live/freshness";
import { Mark, Shape } from "@/ui/marks";
import type { FleetLayout } from "./boxes";
import type { Layer } from "./layers";
import { type HostModel, NOT_KEPT } from "./model";
import { isUnknownBeside } from "./other-work";
import { hostFigure } from "./prediction-words";
import { sumOf } from "./predictions";
import { statusText } from "./status";

export const GroupHeads = memo(function GroupHeads({ layout }: { layout: FleetLayout }): ReactNode {
  return layout.groups
    .filter((group) => group.label)
    .map((group) => (
      <div
        key={`${group.level} ${group.x} ${group.y} ${group.label}`}
        className={`group-head ${layout.level === "mass" ? `mass ${group.level}` : ""}`}
        style={{ left: group.x, top: group.y, width: layout.level === "mass" ? undefined : group.w }}
      >
        <b>{group.label}</b>
        {layout.level !== "mass" && (
          <span>
            {count(group.hosts, "host")}, {count(group.cores, "core")}
          </span>
        )}
      </div>
    ));
});

export function HostHeads(props: { layout: FleetLayout; models: readonly HostModel[]; layer: Layer }): ReactNode {
  const { layout, models, layer } = props;
  const now = useNow();
  if (layout.level !== "labelled" && layout.level !== "compact") return null;
  return layout.hosts.map((box, index) => {
    const model = models[index];
    if (!model) return null;
    const { host } = model;
    const silent = statusText(host, now);
    const wide = layout.level === "labelled";
    return (
      <div
        key={host.host_id}
        className={`host-head ${layout.level}`}
        style={{ left: box.x, top: box.y, width: wide ? Math.max(box.w, 320) : box.w, height: box.head }}
      >
        <Link
          to="/hosts/$id"
          params={{ id: host.host_id }}
          title={host.status_reason}
          // Many hosts are walked by arrow keys; their pages are reached from the pinned core, the table and the palette.
          tabIndex={wide ? 0 : -1}
          onClick={(event) => event.stopPropagation()}
          onKeyDown={(event) => event.stopPropagation()}
        >
          {host.host_id}
        </Link>
        {model.limits && <Shape name="bad" />}
        {silent && (
          <span className="warn nowrap" title={host.status_reason}>
            <Shape name={host.status === "stale" ? "stale" : "cross"} />
            {silent}
          </span>
        )}
        {host.cordon && (
          <span className="warn nowrap" title={`cordoned by ${host.cordon.by}: ${host.cordon.reason}`}>
            <Shape name="warn" />
            {wide && "cordoned"}
          </span>
        )}
        {host.drift && (
          <span className="warn nowrap" title={`differs from its order: ${host.drift.summary}`}>
            <Shape name="warn" />
            {wide && "drift"}
          </span>
        )}
        {wide && <span className="t3 nowrap">{summary(model)}</span>}
        <Sum model={model} layer={layer} wide={wide} />
      </div>
    );
  });
}

/** The host's throughput: measured, or with a layer of predictions what they sum up to. */
function Sum({ model, layer, wide }: { model: HostModel; layer: Layer; wide: boolean }): ReactNode {
  const { host } = model;
  const sum = sumOf(model.forecast);
  if (layer.from === "plans") {
    const text = hostFigure(model, layer, !wide);
    return (
      text !== "" && (
        <span className="sum nowrap">
          {wide && sum && layer.key === "predicted" && <Mark origin={sum.origin} />}
          {text}
        </span>
      )
    );
  }
  if (host.status !== "up") return null;
  return (
    <span className="sum nowrap">
      {wide && <Mark origin={host.provenance} />}
      {figure(host.throughput_mpps)}
      {wide && " Mpps"}
    </span>
  );
}

/** "2 cores, 1 of 10 slots in use, generation 4, other work not known". */
export function summary({ host, cores, units, inUse }: HostModel): string {
  if (!host.inventory) return host.status_reason;
  const all = cores.flat();
  const shared = all.some(({ core }) => (core.slots ?? 1) > 1);
  const slots = all.reduce((sum, { core }) => sum + (core.reserved_for ? 0 : (core.slots ?? 1)), 0);
  const places = shared ? `${inUse} of ${count(slots, "slot")} in use` : `${inUse} in use`;
  const nodes = cores.length > 1 ? `${cores.length} nodes, ` : "";
  const unknown = isUnknownBeside(units.flatMap(({ nf }) => nf ?? []));
  return `${nodes}${count(all.length, "core")}, ${places}${generationText(host)}${unknown ? ", other work not known" : ""}`;
}

/** Of a past moment it is not known. */
function generationText({ applied_generation }: HostView): string {
  return applied_generation === NOT_KEPT ? "" : `, generation ${applied_generation}`;
}
