/** Paints the cells: every cell has a key that names all it shows, and only cells whose key changed are painted. */

import type { Box, FleetLayout, NodeBox } from "./boxes";
import { coreFigure } from "./core-figure";
import type { Density } from "./density";
import { cellText, type Layer } from "./layers";
import { secondFigure } from "./load-words";
import type { CoreModel, HostModel, Unit } from "./model";
import { drawUnit, otherQuarters } from "./paint-cell";
import type { Palette } from "./palette";
import type { HostStatus } from "./status";

type Key = number | string;

export class CellPainter {
  private layout: FleetLayout | null = null;
  private palette: Palette | null = null;
  private keys: Key[] = [];
  private headKeys: string[] = [];
  private nodeKeys: string[] = [];
  private ofNode = false;
  /** Cells painted by the last call, for measuring. */
  painted = 0;

  constructor(private readonly context: CanvasRenderingContext2D) {}

  /** Paints what changed since the last call; everything when layout, palette or resolution did. */
  paint(layout: FleetLayout, hosts: readonly HostModel[], layer: Layer, palette: Palette, resized: boolean): void {
    this.painted = 0;
    const ofNode = layer.ofNode !== undefined;
    if (resized || layout !== this.layout || palette !== this.palette || ofNode !== this.ofNode) {
      this.ofNode = ofNode;
      this.reset(layout, palette);
    }
    layout.hosts.forEach((box, index) => {
      const model = hosts[index];
      if (!model) return;
      for (let place = 0; place < box.count; place += 1) {
        const unit = model.units[place];
        if (unit) this.paintUnit(box.first + place, unit, model, layer);
      }
    });
    layout.coreHeads.forEach((box, index) => {
      const model = hosts[box.host];
      const core = model?.cores[box.node]?.[box.core];
      if (model && core) this.paintCoreHead(index, box, core, model, layer);
    });
    if (layout.level === "dense") this.paintHostHeads(layout, hosts);
    if (ofNode) this.paintNodes(layout, hosts, layer);
  }

  /** A node's own figure: a band beside its cores; the whole node where that has no room. */
  private paintNodes(layout: FleetLayout, hosts: readonly HostModel[], layer: Layer): void {
    const { palette, context } = this;
    if (!palette) return;
    layout.nodes.forEach((node, index) => {
      const model = hosts[node.host];
      const step = model?.nodes[node.node]?.step ?? -1;
      const key = `${step}|${model?.host.status}`;
      if (!model || this.nodeKeys[index] === key) return;
      this.nodeKeys[index] = key;
      const ramp = palette.ramps[layer.ramp];
      const box = bandOf(node, layout.level);
      const known = step >= 0 && model.host.status === "up";
      context.fillStyle = known ? (ramp.steps[step] ?? palette.raised) : palette.raised;
      context.fillRect(box.x, box.y, box.w, box.h);
      if (layout.level === "labelled" || layout.level === "compact") {
        const ink = known ? (ramp.onSteps[step] ?? palette.text1) : palette.text2;
        this.paintNodeNumber(node, layout.level, ink, palette);
      }
    });
  }

  private reset(layout: FleetLayout, palette: Palette): void {
    this.layout = layout;
    this.palette = palette;
    this.keys = [];
    this.headKeys = [];
    this.nodeKeys = [];
    const { canvas } = this.context;
    this.context.clearRect(0, 0, canvas.width, canvas.height);
    for (const node of layout.nodes) {
      if (!node.holdsNics || layout.level === "mass") continue;
      this.context.fillStyle = palette.edge;
      const x = layout.level === "dense" ? node.x - 3 : node.x - 5;
      this.context.fillRect(x, node.y, layout.level === "dense" ? 1 : 2, node.h);
    }
    if (layout.level === "compact" || layout.level === "labelled") this.paintNodeNumbers(layout, palette);
  }

  private paintNodeNumbers(layout: FleetLayout, palette: Palette): void {
    this.context.fillStyle = palette.text3;
    this.context.font = `${layout.level === "labelled" ? 11 : 10}px ${palette.sans}`;
    this.context.textAlign = "right";
    for (const node of layout.nodes) {
      this.context.fillText(String(node.node), node.x - 8, node.y + 11);
    }
    this.context.textAlign = "left";
  }

  private paintNodeNumber(node: NodeBox, level: Density, ink: string, palette: Palette): void {
    this.context.fillStyle = ink;
    this.context.font = `${level === "labelled" ? 11 : 10}px ${palette.sans}`;
    this.context.textAlign = "right";
    this.context.fillText(String(node.node), node.x - 8, node.y + 11);
    this.context.textAlign = "left";
  }

  private paintUnit(index: number, unit: Unit, model: HostModel, layer: Layer): void {
    const { layout, palette } = this;
    const box = layout?.units[index];
    if (!layout || !palette || !box) return;
    if (layer.ofNode && layout.level === "mass") return;
    const key = keyOf(unit, model.host.status, layer, layout.level);
    if (this.keys[index] === key) return;
    this.keys[index] = key;
    this.painted += 1;
    drawUnit(this.context, box, unit, model.host.status, layer, layout.level, palette);
  }

  private paintCoreHead(index: number, box: Box, core: CoreModel, model: HostModel, layer: Layer): void {
    const { palette, context } = this;
    if (!palette) return;
    const { status } = model.host;
    const slots = `core ${core.core.id}, ${core.used} of ${core.core.slots ?? 1}${box.w < 160 ? "" : " slots in use"}`;
    const busy = status === "unreachable" ? "" : coreFigure(layer, core, model);
    const key = `${slots}|${busy}|${status}`;
    if (this.headKeys[index] === key) return;
    this.headKeys[index] = key;
    context.clearRect(box.x, box.y, box.w, box.h);
    context.font = `11px ${palette.sans}`;
    context.fillStyle = palette.text2;
    context.fillText(slots, box.x, box.y + 12);
    context.textAlign = "right";
    context.fillStyle = status === "up" ? palette.text1 : palette.text3;
    context.fillText(busy, box.x + box.w, box.y + 12);
    context.textAlign = "left";
  }

  private paintHostHeads(layout: FleetLayout, hosts: readonly HostModel[]): void {
    const { palette, context } = this;
    if (!palette) return;
    layout.hosts.forEach((box, index) => {
      const model = hosts[index];
      if (!model) return;
      const key = `${model.host.host_id}|${model.host.status}|${model.limits}`;
      if (this.headKeys[index] === key) return;
      this.headKeys[index] = key;
      context.clearRect(box.x, box.y, box.w, box.head);
      context.font = `10px ${palette.sans}`;
      context.fillStyle = model.limits ? palette.bad : model.host.status === "up" ? palette.text2 : palette.warn;
      const shape = (model.limits ? "▲ " : "") + { up: "", stale: "◌ ", unreachable: "✕ " }[model.host.status];
      context.fillText(shape + model.host.host_id, box.x, box.y + 10, box.w);
    });
  }
}

/** Where a node's own figure is painted. */
export function bandOf(node: NodeBox, level: Density): Box {
  const { x, y, w, h } = node;
  switch (level) {
    case "labelled":
      return { x: x - 18, y, w: 12, h };
    case "compact":
      return { x: x - 14, y, w: 8, h };
    case "dense":
      return { x: x - 4, y, w: 3, h };
    case "mass":
      return { x, y, w, h };
  }
}

/** All that is visible of a cell. A number where colour is all; a text where the cell is read. */
export function keyOf(unit: Unit, status: HostStatus, layer: Layer, level: Density): Key {
  const ramp = layer.ramp === "diverging" ? 64 : 0;
  const ground = ramp + groundOf(unit);
  const state = { up: 0, stale: 1, unreachable: 2 }[status];
  if (level !== "labelled") return ground + state * 16;
  const nf = unit.nf;
  const words = nf
    ? `${nf.short_name}|${nf.state}|${cellText(layer, nf, unit.value)}|${nf.sample?.tx_mpps.toFixed(2)}|${secondFigure(layer, nf.sample)}`
    : (unit.other?.toFixed(0) ?? "");
  return `${ground}|${state}|${unit.core.id}|${words}`;
}

/** 0 to 15, or 128: no state and no ramp adds to that bit. */
function groundOf(unit: Unit): number {
  switch (unit.kind) {
    case "reserved":
      return unit.core.reserved_for === "operator" ? 128 : 0;
    case "free":
      return 1;
    case "used":
      return unit.step + 3;
    case "other":
      return 11 + otherQuarters(unit);
  }
}
