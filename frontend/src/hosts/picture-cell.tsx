/** One slot in the host picture. Drawn anew only when something that it shows has changed. */

import { type CSSProperties, memo, type ReactNode } from "react";
import type { Box } from "@/fleet/boxes";
import type { RampKey } from "@/fleet/layers";
import type { CellAppearance } from "./cell-appearance";
import type { PictureLevel } from "./picture-measure";

export interface CellProps extends CellAppearance, Box {
  readonly level: PictureLevel;
  /** The chain's tag stands in the cell; false where a stop on its track says it. */
  readonly tagged: boolean;
  /** Stops of tracks cover the cell's upper edge: its words stand lower. */
  readonly lowered: boolean;
}

const STRIP = 7;
/** Height of the bar that says how much of a core other work uses. */
const OTHER = 4;
/** Sides of the corner that marks a core which an operator reserves. */
const KEPT = 9;

/** The token that holds the step's colour, and the class that says which text it carries. */
export function stepName(ramp: RampKey, step: number): string {
  return `${ramp === "diverging" ? "div" : "seq"}-${step}`;
}

/** The colour as a property, so that one rule paints all steps. */
export function stepStyle(name: string): CSSProperties {
  return { "--step": `var(--${name})` } as CSSProperties;
}

export const PictureCell = memo(function PictureCell(props: CellProps): ReactNode {
  const { x, y, w, h, kind, kept, step, ramp, aged, crossed, level, limits, other } = props;
  const filled = step >= 0 && !aged;
  const name = stepName(ramp, step);
  const classes = ["cell", kind, filled ? `stepped ${name}` : "", aged ? "aged" : "", crossed ? "crossed" : ""];
  return (
    <g
      className={classes.filter(Boolean).join(" ")}
      transform={`translate(${x} ${y})`}
      {...(step >= 0 ? { style: stepStyle(name) } : {})}
    >
      <rect className="ground" x={0.5} y={0.5} width={w - 1} height={h - 1} />
      {aged && step >= 0 && <LastKnown w={w} h={h} level={level} />}
      {kept && <path className="kept" d={`M${w - KEPT} 0H${w}V${KEPT}z`} />}
      {other > 0 && <rect className="other-work" x={0} y={h - OTHER} width={w * other} height={OTHER} />}
      {crossed && <path className="cross" d={`M0 0L${w} ${h}M${w} 0L0 ${h}`} />}
      {level === "labelled" ? <Words {...props} /> : <CompactTag letter={props.letter} kind={kind} w={w} h={h} />}
      {limits && <rect className="limits" x={0} y={0} width={w} height={h} />}
    </g>
  );
});

/** The last known value: hatched, because it is not a present one; a strip where words need the rest. */
function LastKnown({ w, h, level }: { w: number; h: number; level: PictureLevel }): ReactNode {
  const top = level === "labelled" ? h - STRIP : 0;
  return (
    <>
      <rect className="last" x={0} y={top} width={w} height={h - top} />
      <rect fill="url(#host-hatch)" x={0} y={top} width={w} height={h - top} />
    </>
  );
}

function Words({ w, core, value, name, second, tag, letter, tagged, kind, lowered }: CellProps): ReactNode {
  const first = lowered ? 17 : 13;
  const last = lowered ? 47 : 46;
  return (
    <>
      <text className="number" x={5} y={first}>
        {core}
      </text>
      <text className="value figure" x={w - 4} y={first} textAnchor="end">
        {value}
      </text>
      <text className={name && name.length > 7 ? "name long" : "name"} x={5} y={lowered ? 33 : 31}>
        {name}
      </text>
      <text x={5} y={last} className={kind === "crashed" ? "trouble" : "figure"}>
        {second}
      </text>
      {tagged && tag && <Tag x={w - 2 - tagWidth(tag) / 2} y={last} tag={tag} letter={letter} />}
    </>
  );
}

function tagWidth(tag: string): number {
  return 6 + tag.length * 6.5;
}

/** "A2" on the chain's colour. */
export function Tag({ x, y, tag, letter }: { x: number; y: number; tag: string; letter: string }): ReactNode {
  const w = tagWidth(tag);
  return (
    <g className={`chain-${letter.toLowerCase()}`}>
      <rect className="tag-ground" x={x - w / 2} y={y - 6.5} width={w} height={13} rx={2} />
      <text className="tag-text" x={x} y={y + 3.5} textAnchor="middle">
        {tag}
      </text>
    </g>
  );
}

/** Where there is room for a letter only. */
function CompactTag({
  letter,
  kind,
  w,
  h,
}: {
  letter: string;
  kind: CellAppearance["kind"];
  w: number;
  h: number;
}): ReactNode {
  if (kind !== "used" && kind !== "crashed") return null;
  if (!letter) return <rect className="other-chain" x={0} y={h - 3} width={w} height={3} />;
  return (
    <g className={`chain-${letter.toLowerCase()}`}>
      <rect className="tag-ground" x={0} y={h - 12} width={w} height={12} />
      <text className="tag-text" x={w / 2} y={h - 2.5} textAnchor="middle">
        {letter}
      </text>
    </g>
  );
}
