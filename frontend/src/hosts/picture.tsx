/** The host's picture: nodes with their cores and slots, chains as lines from the ports, core time, caches. */

import {
  type KeyboardEvent,
  type MouseEvent,
  type PointerEvent,
  type ReactNode,
  useMemo,
  useRef,
  useState,
} from "react";
import type { HostView, NfView } from "@/api/types";
import { crowdedCores } from "@/capabilities/cores";
import type { Box } from "@/fleet/boxes";
import { describeUnit } from "@/fleet/describe";
import { targetNotes, targetText } from "@/fleet/migration-targets";
import type { Unit } from "@/fleet/model";
import { moveOf, neighbour } from "@/fleet/navigate";
import { Tip } from "@/fleet/tip";
import { nodeOf } from "@/interference/counters";
import { useWidth } from "@/ui/use-width";
import { type NodeGauges, nodeBlocks } from "./blocks";
import type { Letters } from "./letters";
import { isByWay, llcShares, withoutSamples } from "./llc";
import { MoveMarks, type PictureMove, targetAt } from "./move-marks";
import { Drawing } from "./picture-drawing";
import { PictureKey } from "./picture-key";
import { layoutPicture, type PictureLayout } from "./picture-layout";
import type { HostData } from "./use-host";

/** Room around the picture for rings. */
const EDGE = 4;

export function HostPicture(props: {
  data: HostData;
  /** "core/slot" */
  pinned: string | null;
  onPin: (seat: string | null) => void;
  /** An NF is to move: a core that can take it plans the move instead of being pinned. */
  moving?: PictureMove | null | undefined;
  /** Of a past moment: what hardware counters add is not kept. */
  then?: boolean;
}): ReactNode {
  const { data, pinned, moving } = props;
  const choose = (seat: string) => {
    const core = Number(seat.split("/")[0]);
    if (moving && targetAt(moving, core)) moving.onChoose(core);
    else props.onPin(seat);
  };
  const { width, ref } = useWidth(900);
  const layout = useLayout(data, width - 2 * EDGE);
  const units = useMemo(() => new Map(data.model.units.map((unit) => [keyOf(unit), unit])), [data.model]);
  const [focus, setFocus] = useState<number | null>(null);
  const [hover, setHover] = useState<{ index: number; x: number; y: number } | null>(null);
  const svg = useRef<SVGSVGElement>(null);
  const words = (index: number) => {
    const unit = units.get(keyAt(layout, index));
    if (!unit) return null;
    const target = moving && targetAt(moving, unit.core.id);
    const about = describeUnit(unit, data.model, Date.now());
    if (!target) return about;
    const notes = targetNotes(target);
    const effect = `Move here: ${targetText(target, moving.targets.now_mpps)}, predicted`;
    return [effect, ...(notes ? [notes] : []), ...about];
  };

  function press(event: KeyboardEvent): void {
    const move = moveOf(event);
    const from =
      focus ??
      Math.max(
        0,
        layout.units.findIndex((_, index) => keyAt(layout, index) === pinned),
      );
    if (move) setFocus(focus === null ? from : neighbour(layout, from, move));
    else if (event.key === "Enter" || event.key === "p" || event.key === "P") choose(keyAt(layout, from));
    else if (event.key === "Escape") {
      setFocus(null);
      props.onPin(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function point(event: PointerEvent | MouseEvent): number | null {
    const box = svg.current?.getBoundingClientRect();
    if (!box) return null;
    const [x, y] = [event.clientX - box.left - EDGE, event.clientY - box.top - EDGE];
    const found = layout.units.findIndex((u) => x >= u.x && x < u.x + u.w && y >= u.y && y < u.y + u.h);
    return found < 0 ? null : found;
  }

  const focused = focus === null ? undefined : layout.units[focus];
  const tip = hover ? words(hover.index) : focus === null ? null : words(focus);
  const at = hover ?? cornerOf(svg.current, focused);
  return (
    <>
      <div
        ref={ref}
        className="host-picture"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the picture takes the arrow keys; every core is also in the table
        tabIndex={0}
        aria-label={`Picture of ${data.host.host_id}`}
        aria-describedby="host-picture-keys"
        data-testid="host-picture"
        data-level={layout.level}
        onKeyDown={press}
        onBlur={() => setFocus(null)}
        onPointerMove={(event) => {
          const index = point(event);
          setHover(index === null ? null : { index, x: event.clientX, y: event.clientY });
        }}
        onPointerLeave={() => setHover(null)}
        onClick={(event) => {
          const index = point(event);
          if (index !== null) choose(keyAt(layout, index));
        }}
      >
        <svg
          ref={svg}
          width={layout.width + 2 * EDGE}
          height={layout.height + 2 * EDGE}
          viewBox={`${-EDGE} ${-EDGE} ${layout.width + 2 * EDGE} ${layout.height + 2 * EDGE}`}
          aria-hidden="true"
        >
          <Drawing data={data} layout={layout} units={units}>
            <Ring box={layout.units.find((_, index) => keyAt(layout, index) === pinned)} />
            {moving && <MoveMarks layout={layout} move={moving} />}
            {focused && <Ring box={focused} focus />}
          </Drawing>
        </svg>
        <p id="host-picture-keys" className="hidden-text">
          Arrow keys move by core and slot, Shift with arrows by node. Enter or P pins, Escape clears. Key T shows the
          same as a table.
        </p>
        <div className="hidden-text" aria-live="polite">
          {focus === null ? "" : words(focus)?.join(". ")}
        </div>
        {tip && at && <Tip lines={tip} x={at.x} y={at.y} />}
      </div>
      <PictureKey data={data} tracks={layout.corridor !== null} then={props.then ?? false} />
    </>
  );
}

function useLayout({ host, nfs: all, letters, figures }: HostData, width: number): PictureLayout {
  const nfs = figures === "none" ? withoutSamples(all) : all;
  const gauges = (host.inventory?.nodes ?? []).map(({ id }) => gaugesOf(host, id, nfs, letters));
  const crowded = [...crowdedCores(host.inventory?.cores ?? [], all)].join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: their text stands for the gauges, which are made with every sample
  const nodes = useMemo(() => {
    const of = new Map((host.inventory?.nodes ?? []).map(({ id }, index) => [id, gauges[index] ?? NO_GAUGES]));
    return nodeBlocks(host, (node) => of.get(node) ?? NO_GAUGES, all);
  }, [host.inventory, JSON.stringify(gauges), crowded]);
  return useMemo(() => layoutPicture(nodes, width, letters.size), [nodes, width, letters.size]);
}

const NO_GAUGES: NodeGauges = { llcRows: 0, llcNumbers: false, memory: false, link: false };

function gaugesOf(host: HostView, node: number, nfs: readonly NfView[], letters: Letters): NodeGauges {
  const shares = llcShares(nfs, node, letters);
  const sample = nodeOf(host, node);
  return {
    llcRows: shares.length,
    llcNumbers: isByWay(host, node, shares),
    memory: sample !== null,
    link: sample?.link_load_percent != null,
  };
}

const keyOf = (unit: Unit) => `${unit.core.id}/${unit.slot}`;

function keyAt(layout: PictureLayout, index: number): string {
  const cell = layout.units[index];
  return cell ? `${cell.core}/${cell.slot}` : "";
}

/** Where the tip of a focused cell stands on the screen. */
function cornerOf(svg: SVGSVGElement | null, box: Box | undefined): { x: number; y: number } | null {
  const at = svg?.getBoundingClientRect();
  return at && box ? { x: at.left + EDGE + box.x, y: at.top + EDGE + box.y + box.h - 10 } : null;
}

/** Pin or focus: outside the violation's ring. */
function Ring({ box, focus = false }: { box: Box | undefined; focus?: boolean }): ReactNode {
  if (!box) return null;
  const { x, y, w, h } = box;
  return <rect className={focus ? "ring focus" : "ring"} x={x - 2} y={y - 2} width={w + 4} height={h + 4} />;
}
