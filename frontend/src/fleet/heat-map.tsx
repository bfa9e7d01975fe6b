/** The fleet's picture: cells on one canvas, rings on another above it, heads and tooltip in the DOM. */

import { type KeyboardEvent, type PointerEvent, type ReactNode, useLayoutEffect, useRef, useState } from "react";
import type { FleetLayout } from "./boxes";
import { describeUnit } from "./describe";
import { GroupHeads, HostHeads } from "./heads";
import type { Layer } from "./layers";
import type { HostModel } from "./model";
import { moveOf, neighbour, unitAt } from "./navigate";
import { drawOverlay } from "./overlay";
import { CellPainter } from "./paint";
import type { Palette } from "./palette";
import { findSeat, seatKey } from "./seat";
import { Tip } from "./tip";

export interface HeatMapProps {
  layout: FleetLayout;
  /** In the order of the layout's hosts. */
  models: readonly HostModel[];
  layer: Layer;
  palette: Palette;
  pinned: string | null;
  onPin: (seat: string | null) => void;
}

/** Room around the picture for rings and node numbers. */
const EDGE = 4;

export function HeatMap(props: HeatMapProps): ReactNode {
  const { layout, models, pinned, onPin } = props;
  const [focus, setFocus] = useState<number | null>(null);
  const [hover, setHover] = useState<{ index: number; x: number; y: number } | null>(null);
  const canvases = useCanvases(props, focus);
  const focusText = focus === null ? null : unitText(layout, models, focus);

  function press(event: KeyboardEvent): void {
    const move = moveOf(event);
    const from = focus ?? findSeat(models, layout.hosts, pinned)?.index ?? 0;
    if (move) {
      const next = focus === null ? from : neighbour(layout, from, move);
      setFocus(next);
      canvases.reveal(layout.units[next]);
    } else if (event.key === "Enter" || event.key === "p" || event.key === "P") {
      onPin(seatAt(layout, models, from));
    } else if (event.key === "Escape") {
      if (focus !== null) setFocus(null);
      onPin(null);
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  function point(event: PointerEvent): number | null {
    const box = event.currentTarget.getBoundingClientRect();
    return unitAt(layout, event.clientX - box.left - EDGE, event.clientY - box.top - EDGE);
  }

  const tip = hover ? unitText(layout, models, hover.index) : focusText;
  const at = hover ?? canvases.corner(focus === null ? undefined : layout.units[focus]);
  return (
    <div
      className="heat-map"
      style={{ width: layout.width + 2 * EDGE, height: layout.height + 2 * EDGE }}
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the map takes the arrow keys; every cell is also in the table
      tabIndex={0}
      aria-label="Fleet heat map"
      aria-describedby="heat-map-keys"
      data-testid="heat-map"
      data-level={layout.level}
      ref={canvases.frame}
      onKeyDown={press}
      onBlur={() => setFocus(null)}
      onPointerMove={(event) => {
        const index = point(event);
        setHover(index === null ? null : { index, x: event.clientX, y: event.clientY });
      }}
      onPointerLeave={() => setHover(null)}
      onClick={(event) => {
        const index = point(event as unknown as PointerEvent);
        if (index !== null) onPin(seatAt(layout, models, index));
      }}
    >
      <canvas ref={canvases.cells} aria-hidden="true" />
      <canvas ref={canvases.rings} aria-hidden="true" />
      <GroupHeads layout={layout} />
      <HostHeads layout={layout} models={models} layer={props.layer} />
      <p id="heat-map-keys" className="hidden-text">
        Arrow keys move by core, Shift with arrows by node, Page keys by host. Enter or P pins, Escape clears. Key T
        shows the same as a table.
      </p>
      <div className="hidden-text" aria-live="polite">
        {focusText?.join(". ")}
      </div>
      {tip && at && <Tip lines={tip} x={at.x} y={at.y} />}
    </div>
  );
}

function unitText(layout: FleetLayout, models: readonly HostModel[], index: number): string[] | null {
  const host = layout.units[index]?.host;
  const model = host === undefined ? undefined : models[host];
  const unit = model && host !== undefined ? model.units[index - (layout.hosts[host]?.first ?? 0)] : undefined;
  return model && unit ? describeUnit(unit, model, Date.now()) : null;
}

function seatAt(layout: FleetLayout, models: readonly HostModel[], index: number): string | null {
  const host = layout.units[index]?.host;
  if (host === undefined) return null;
  const unit = models[host]?.units[index - (layout.hosts[host]?.first ?? 0)];
  return unit ? seatKey(unit) : null;
}

/** Sizes the canvases to the device's pixels, paints what has changed (a pointer changes nothing), and finds cells on the
 * screen. */
function useCanvases(props: HeatMapProps, focus: number | null) {
  const { layout, models, layer, palette, pinned } = props;
  const frame = useRef<HTMLDivElement>(null);
  const cells = useRef<HTMLCanvasElement>(null);
  const rings = useRef<HTMLCanvasElement>(null);
  const painter = useRef<CellPainter | null>(null);
  const ratio = window.devicePixelRatio || 1;

  useLayoutEffect(() => {
    const context = cells.current?.getContext("2d");
    if (!cells.current || !context) return;
    const resized = fitCanvas(cells.current, context, layout, ratio);
    painter.current ??= new CellPainter(context);
    const start = performance.now();
    painter.current.paint(layout, models, layer, palette, resized);
    paintTimes.note(performance.now() - start, painter.current.painted);
  }, [layout, models, layer, palette, ratio]);
  useLayoutEffect(() => {
    const context = rings.current?.getContext("2d");
    if (!rings.current || !context) return;
    fitCanvas(rings.current, context, layout, ratio);
    const state = { pinned: findSeat(models, layout.hosts, pinned)?.index ?? null, focused: focus };
    drawOverlay(context, layout, models, state, palette);
  }, [layout, models, palette, pinned, focus, ratio]);

  return {
    frame,
    cells,
    rings,
    reveal(box: { x: number; y: number; w: number; h: number } | undefined) {
      const scroller = frame.current?.parentElement;
      if (!box || !scroller) return;
      if (box.y < scroller.scrollTop) scroller.scrollTop = box.y - 30;
      const bottom = box.y + box.h + 40;
      if (bottom > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = bottom - scroller.clientHeight;
    },
    corner(box: { x: number; y: number; w: number; h: number } | undefined): { x: number; y: number } | null {
      const rect = frame.current?.getBoundingClientRect();
      return box && rect ? { x: rect.left + EDGE + box.x, y: rect.top + EDGE + box.y + box.h - 10 } : null;
    },
  };
}

/** Gives the canvas its size in device pixels; true where that changed and all was wiped. */
function fitCanvas(
  canvas: HTMLCanvasElement,
  context: CanvasRenderingContext2D,
  layout: FleetLayout,
  ratio: number,
): boolean {
  const w = Math.round((layout.width + 2 * EDGE) * ratio);
  const h = Math.round((layout.height + 2 * EDGE) * ratio);
  if (canvas.width === w && canvas.height === h) return false;
  canvas.width = w;
  canvas.height = h;
  canvas.style.width = `${w / ratio}px`;
  canvas.style.height = `${h / ratio}px`;
  context.setTransform(ratio, 0, 0, ratio, EDGE * ratio, EDGE * ratio);
  return true;
}

/** Cost of the last repaints, for `make bench` and curious operators: `sextantPaint` in the browser's console. */
const paintTimes = {
  last: [] as { ms: number; cells: number }[],
  note(ms: number, cells: number) {
    this.last.push({ ms, cells });
    if (this.last.length > 300) this.last.shift();
  },
};
Object.assign(globalThis, { sextantPaint: paintTimes });
