/** Before and after, host by host, slot by slot; what leaves is dashed, what arrives is outlined. */

import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode, useMemo, useState } from "react";
import type { HostView, NfType, PlacedNf, PlanBody } from "@/api/types";
import { groupsOf } from "@/capabilities/allocations";
import { count, percent, thousands } from "@/lib/format";
import { ResourceStrips } from "@/resources/resource-strips";
import {
  byHost,
  hostsByChange,
  isNamed,
  type NodePicture,
  type Numbered,
  numbered,
  otherWorkOf,
  type Part,
  pictureOf,
  type Slot,
} from "./picture";

/** Hosts drawn at first, and with each further press: more would be drawn anew with every sample. */
const AT_ONCE = 4;

export function PlanPictures(props: {
  body: PlanBody;
  hosts: ReadonlyMap<string, HostView>;
  types: readonly NfType[];
}): ReactNode {
  const { body, hosts, types } = props;
  const [most, setMost] = useState(AT_ONCE);
  const names = new Map(types.map((type) => [type.name, type.short_name]));
  const plan = useMemo(() => partsOf(body), [body]);
  const touched = plan.order.filter((host) => hosts.has(host));
  if (touched.length === 0) return null;
  const hidden = touched.length - most;
  return (
    <div className="pictures">
      {touched.slice(0, most).map((id) => {
        const view = hosts.get(id);
        const generation = plan.generations.get(id) ?? 0;
        if (!view) return null;
        const [before, after] = [plan.before.get(id) ?? [], plan.after.get(id) ?? []];
        const given = groupsOf(before, view) + groupsOf(after, view) > 0;
        const shared = { host: view, numbers: plan.numbers, names, works: plan.works, given };
        return (
          <Fragment key={id}>
            <Picture {...shared} placed={before} part="before" generation={generation} />
            <Picture {...shared} placed={after} part="after" generation={generation + 1} />
          </Fragment>
        );
      })}
      <div className="picture-key t2">
        <span>
          <i className="slot leaves" /> leaves
        </span>
        <span>
          <i className="slot arrives" /> arrives
        </span>
        {body.changes.some(({ kind }) => kind === "resources") && (
          <span>
            <i className="slot gets" /> other resources, same place
          </span>
        )}
        {plan.works.size > 0 && (
          <span>
            <i className="slot other" /> other work, used last
          </span>
        )}
        <span className="t3">The number refers to the changes below.</span>
        {hidden > 0 && (
          <span className="end">
            {most} of {thousands(touched.length)} hosts drawn, those with most changes.
            <button type="button" className="btn small" onClick={() => setMost(most + AT_ONCE)}>
              Draw {Math.min(AT_ONCE, hidden)} of {count(hidden, "more host")}
            </button>
          </span>
        )}
      </div>
    </div>
  );
}

/** What all pictures share, found once for a body that never changes. */
function partsOf(body: PlanBody) {
  return {
    order: hostsByChange(body),
    generations: new Map(body.base.map(({ host, generation }) => [host, generation])),
    numbers: numbered(body.changes),
    before: byHost(body.before),
    after: byHost(body.after),
    works: otherWorkOf(body.other_work),
  };
}

function Picture(props: {
  host: HostView;
  placed: readonly PlacedNf[];
  numbers: Numbered;
  part: Part;
  names: ReadonlyMap<string, string>;
  works: ReadonlyMap<string, number>;
  generation: number;
  /** Somebody has ways or bandwidth of its own there, before or after. */
  given: boolean;
}): ReactNode {
  const { host, placed, numbers, part, names, works, generation, given } = props;
  const nodes = pictureOf(host, placed, numbers, part, works);
  const named = isNamed(nodes);
  const title = part === "before" ? "Before" : "After";
  return (
    <figure className="picture" aria-label={`${title}: ${host.host_id}, generation ${generation}`}>
      <figcaption>
        <b>{title}</b>{" "}
        <Link to="/hosts/$id" params={{ id: host.host_id }}>
          {host.host_id}
        </Link>{" "}
        <span className="t3">generation {generation}</span>
      </figcaption>
      <div className={`picture-nodes ${named ? "named" : "small"}`}>
        {nodes.map((node) => (
          <PictureNode key={node.id} node={node} named={named} part={part} names={names} alone={nodes.length === 1} />
        ))}
      </div>
      {given && <ResourceStrips host={host} placed={placed} />}
    </figure>
  );
}

function PictureNode(props: {
  node: NodePicture;
  named: boolean;
  part: Part;
  names: ReadonlyMap<string, string>;
  alone: boolean;
}): ReactNode {
  const { node, named, part, names } = props;
  // In two rows, as the map draws a node; cores with several slots need more room than a column has.
  const columns =
    named && node.cores.every(({ slots }) => slots.length === 1) ? Math.ceil(node.cores.length / 2) : null;
  return (
    <div className="picture-node">
      {!props.alone && <span className="t3">node {node.id}</span>}
      <div
        className="picture-cores"
        style={columns === null ? undefined : { display: "grid", gridTemplateColumns: `repeat(${columns}, auto)` }}
      >
        {node.cores.map((core) => (
          <div key={core.id} className="picture-core">
            {named && <span className="t3">core {core.id}</span>}
            <div className="picture-slots">
              {core.slots.map((slot) => (
                <PictureSlot
                  key={slot.slot}
                  slot={slot}
                  part={part}
                  named={named}
                  reserved={core.reserved}
                  other={core.other}
                  name={slot.nf ? (names.get(slot.nf.nf_type) ?? slot.nf.nf_type.slice(0, 8)) : ""}
                  where={`core ${core.id}${core.slots.length > 1 ? `, slot ${slot.slot + 1}` : ""}`}
                />
              ))}
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}

function PictureSlot(props: {
  slot: Slot;
  part: Part;
  named: boolean;
  reserved: string | null;
  other: number | null;
  name: string;
  where: string;
}): ReactNode {
  const { slot, part, named, reserved, other } = props;
  const moving = slot.moves ? (part === "before" ? "leaves" : "arrives") : slot.gets !== null ? "gets" : "";
  const kind = slot.nf ? "taken" : reserved ? "reserved" : other !== null ? "other" : "";
  const work = other === null ? "" : `other work, ${percent(other)} %`;
  const text = slot.nf
    ? `${slot.nf.nf_id} at ${props.where}${moving ? `, ${slot.gets ?? moving}` : ""}${work && `; beside ${work}`}`
    : `${props.where}: ${reserved ?? (work || "free")}`;
  return (
    <span className={`slot ${kind} ${moving}`} title={text}>
      {named && slot.nf && <b>{props.name}</b>}
      {slot.change !== null && <em>{slot.change}</em>}
      {kind === "other" && named && slot.slot === 0 && <b>other</b>}
      {kind === "other" && named && slot.slot === 0 && <em>{percent(other)} %</em>}
      {(slot.nf || kind === "other") && <span className="hidden-text">{text}</span>}
    </span>
  );
}
