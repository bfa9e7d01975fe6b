/** Before and after, host by host, slot by slot; what leaves is dashed, what arrives is outlined. */

import { Fragment, type ReactNode } from "react";
import type { HostView, NfType, PlanBody } from "@/api/types";
import { isNamed, type NodePicture, type Part, pictureOf, type Slot } from "./picture";

export function PlanPictures(props: {
  body: PlanBody;
  hosts: ReadonlyMap<string, HostView>;
  types: readonly NfType[];
}): ReactNode {
  const { body, hosts, types } = props;
  const names = new Map(types.map((type) => [type.name, type.short_name]));
  const touched = body.base.flatMap(({ host, generation }) => {
    const view = hosts.get(host);
    return view ? [{ view, generation }] : [];
  });
  if (touched.length === 0) return null;
  return (
    <div className="pictures">
      {touched.map(({ view, generation }) => (
        <Fragment key={view.host_id}>
          <Picture host={view} body={body} part="before" names={names} generation={generation} />
          <Picture host={view} body={body} part="after" names={names} generation={generation + 1} />
        </Fragment>
      ))}
      <p className="picture-key t2">
        <span>
          <i className="slot leaves" /> leaves
        </span>
        <span>
          <i className="slot arrives" /> arrives
        </span>
        <span className="t3">The number is that of the change below.</span>
      </p>
    </div>
  );
}

function Picture(props: {
  host: HostView;
  body: PlanBody;
  part: Part;
  names: ReadonlyMap<string, string>;
  generation: number;
}): ReactNode {
  const { host, body, part, names, generation } = props;
  const nodes = pictureOf(host, part === "before" ? body.before : body.after, body.changes, part);
  const named = isNamed(nodes);
  const title = part === "before" ? "Before" : "After";
  return (
    <figure className="picture" aria-label={`${title}: ${host.host_id}, generation ${generation}`}>
      <figcaption>
        <b>{title}</b> {host.host_id} <span className="t3">generation {generation}</span>
      </figcaption>
      <div className={`picture-nodes ${named ? "named" : "small"}`}>
        {nodes.map((node) => (
          <PictureNode key={node.id} node={node} named={named} part={part} names={names} alone={nodes.length === 1} />
        ))}
      </div>
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
  return (
    <div className="picture-node">
      {!props.alone && <span className="t3">node {node.id}</span>}
      <div className="picture-cores">
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
  name: string;
  where: string;
}): ReactNode {
  const { slot, part, named, reserved } = props;
  const moving = slot.moves ? (part === "before" ? "leaves" : "arrives") : "";
  const kind = reserved ? "reserved" : slot.nf ? "taken" : "";
  const text = slot.nf
    ? `${slot.nf.nf_id} at ${props.where}${moving ? `, ${moving}` : ""}`
    : `${props.where}: ${reserved ?? "free"}`;
  return (
    <span className={`slot ${kind} ${moving}`} title={text}>
      {named && slot.nf && <b>{props.name}</b>}
      {slot.change !== null && <em>{slot.change}</em>}
      {slot.nf && <span className="hidden-text">{text}</span>}
    </span>
  );
}
