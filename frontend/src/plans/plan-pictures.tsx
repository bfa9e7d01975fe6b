/** Before and after, host by host, slot by slot; what leaves is dashed, what arrives is outlined. On choice the cells are
 * painted by what is predicted of their NFs. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type CSSProperties, type ReactNode, useMemo, useState } from "react";
import { planInterferenceQuery } from "@/api/queries";
import type { HostView, NfType, PlacedNf, PlanBody } from "@/api/types";
import { groupsOf } from "@/capabilities/allocations";
import { count, percent, thousands } from "@/lib/format";
import { STEPS } from "@/lib/ramp";
import { ResourceStrips } from "@/resources/resource-strips";
import { Mark } from "@/ui/marks";
import { Segmented } from "@/ui/segmented";
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
import {
  type Foresight,
  foreseenAfter,
  foreseenBefore,
  type Heat,
  PICTURE_LAYERS,
  type PictureLayer,
  painted,
  SCALES,
  whyNothing,
} from "./picture-layers";

/** Hosts drawn at first, and with each further press: more would be drawn anew with every sample. */
const AT_ONCE = 4;

export function PlanPictures(props: {
  body: PlanBody;
  hosts: ReadonlyMap<string, HostView>;
  types: readonly NfType[];
  /** Whose plan it is; null where the console cannot predict the state before it: of a preview. */
  planId: number | null;
}): ReactNode {
  const { body, hosts, types } = props;
  const [most, setMost] = useState(AT_ONCE);
  const [layer, setLayer] = useState<PictureLayer>("changes");
  const names = new Map(types.map((type) => [type.name, type.short_name]));
  const plan = useMemo(() => partsOf(body), [body]);
  const touched = plan.order.filter((host) => hosts.has(host));
  if (touched.length === 0) return null;
  const hidden = touched.length - most;
  return (
    <div className="pictures">
      <div className="picture-layers">
        <Segmented label="What the pictures show" value={layer} options={PICTURE_LAYERS} onChange={setLayer} />
        {layer !== "changes" && <Scale heat={layer} />}
      </div>
      {touched.slice(0, most).map((id) => {
        const view = hosts.get(id);
        return (
          view && (
            <Pair key={id} host={view} plan={plan} names={names} layer={layer} planId={props.planId} body={body} />
          )
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
        {layer === "changes" && <span className="t3">The number refers to the changes below.</span>}
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

/** A host before the plan and under it. */
function Pair(props: {
  host: HostView;
  plan: ReturnType<typeof partsOf>;
  names: ReadonlyMap<string, string>;
  layer: PictureLayer;
  planId: number | null;
  body: PlanBody;
}): ReactNode {
  const { host, plan, names, layer, planId, body } = props;
  const id = host.host_id;
  const heat = layer === "changes" ? null : layer;
  const { data, error } = useQuery({
    ...planInterferenceQuery(planId ?? 0, id, "before"),
    enabled: heat !== null && planId !== null,
  });
  const before = useMemo(() => foreseenBefore(body, data), [body, data]);
  const generation = plan.generations.get(id) ?? 0;
  const [placedBefore, placedAfter] = [plan.before.get(id) ?? [], plan.after.get(id) ?? []];
  const given = groupsOf(placedBefore, host) + groupsOf(placedAfter, host) > 0;
  const shared = { host, numbers: plan.numbers, names, works: plan.works, given, heat };
  const then =
    data?.note ?? (planId === null ? "a preview predicts what comes after alone" : error ? error.message : null);
  const waits = heat !== null && planId !== null && !data && !error;
  return (
    <>
      <Picture
        {...shared}
        placed={placedBefore}
        part="before"
        generation={generation}
        foresight={before}
        note={waits ? "reading what is predicted" : then}
      />
      <Picture
        {...shared}
        placed={placedAfter}
        part="after"
        generation={generation + 1}
        foresight={plan.foresight}
        note={plan.notes.get(id) ?? null}
      />
    </>
  );
}

function Scale({ heat }: { heat: Heat }): ReactNode {
  const { title, unit, max } = SCALES[heat];
  return (
    <span className="legend-scale" role="img" aria-label={`Scale of ${title}, 0 to ${max} ${unit}, predicted`}>
      <Mark origin="predicted" />
      predicted, {unit}
      <span className="legend-ramp">
        {Array.from({ length: STEPS }, (_, step) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps are their indices
          <span key={step}>
            <i style={{ background: `var(--seq-${step})` }} />
            <em>{step === 0 ? "0" : step === STEPS - 1 ? max : ""}</em>
          </span>
        ))}
      </span>
    </span>
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
    foresight: foreseenAfter(body),
    /** By host, why its chains have no prediction. */
    notes: new Map(body.predictions.flatMap(({ host, note }) => (host && note ? [[host, note] as const] : []))),
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
  heat: Heat | null;
  foresight: Foresight;
  /** Why nothing is predicted, where that is so. */
  note: string | null;
}): ReactNode {
  const { host, placed, numbers, part, names, works, generation, given, heat, foresight } = props;
  const why = heat === null ? null : whyNothing(placed, foresight, props.note);
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
        {why && <span className="t2">, nothing is predicted: {why}</span>}
      </figcaption>
      <div className={`picture-nodes ${named ? "named" : "small"}`}>
        {nodes.map((node) => (
          <PictureNode
            key={node.id}
            node={node}
            named={named}
            part={part}
            names={names}
            alone={nodes.length === 1}
            heat={heat}
            foresight={foresight}
          />
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
  heat: Heat | null;
  foresight: Foresight;
}): ReactNode {
  const { node, named, part, names, heat, foresight } = props;
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
                  heat={heat}
                  foresight={foresight}
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
  heat: Heat | null;
  foresight: Foresight;
}): ReactNode {
  const { slot, part, named, reserved, other, heat } = props;
  const paint = heat && slot.nf ? painted(heat, props.foresight.get(slot.nf.nf_id)) : null;
  const moving = slot.moves ? (part === "before" ? "leaves" : "arrives") : slot.gets !== null ? "gets" : "";
  const kind = slot.nf ? "taken" : reserved ? "reserved" : other !== null ? "other" : "";
  const work = other === null ? "" : `other work, ${percent(other)} %`;
  const predicted = heat && slot.nf ? `, ${paint ? `${paint.text} predicted` : "nothing predicted"}` : "";
  const text = slot.nf
    ? `${slot.nf.nf_id} at ${props.where}${moving ? `, ${slot.gets ?? moving}` : ""}${predicted}${work && `; beside ${work}`}`
    : `${props.where}: ${reserved ?? (work || "free")}`;
  return (
    <span
      className={`slot ${kind} ${moving} ${paint ? `heat seq-${paint.step}` : ""}`}
      style={paint ? ({ "--step": `var(--seq-${paint.step})` } as CSSProperties) : undefined}
      title={text}
    >
      {named && slot.nf && <b>{props.name}</b>}
      {paint && named ? <em>{paint.text}</em> : slot.change !== null && <em>{slot.change}</em>}
      {kind === "other" && named && slot.slot === 0 && <b>other</b>}
      {kind === "other" && named && slot.slot === 0 && <em>{percent(other)} %</em>}
      {(slot.nf || kind === "other") && <span className="hidden-text">{text}</span>}
    </span>
  );
}
