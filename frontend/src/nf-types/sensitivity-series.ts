/** What the sensitivity plot draws for each of its axes. Pure. */

import type { CurveModel, FittedPoint, PointPurpose, ProfilingPoint, Provenance } from "@/api/types";
import type { Series } from "@/ui/plot";
import { type CurveRole, drawn, mixName, predictedPoint, pressureOn, ROLES, roleOf, withDrop } from "./measured";

type Points = ReturnType<typeof withDrop>;

/** Purposes in which others stand beside the NF as they would in a chain. */
const BESIDE: readonly PointPurpose[] = ["local", "across", "remote", "crossing", "behind", "rates"];
/** Between a measured point and its prediction, in competitors. */
const APART = 0.12;
/** Competitors' types that have a line of their own. */
const MOST_LINES = 6;

export interface Measurements {
  readonly points: Points;
  /** Of what was measured. */
  readonly look: "measured" | "simulated";
  /** Of the version that is shown, by point. */
  readonly heldOut: ReadonlyMap<number, FittedPoint>;
}

export function measurementsOf(
  points: readonly ProfilingPoint[],
  basis: Provenance,
  heldOut: readonly FittedPoint[],
): Measurements {
  return {
    points: withDrop(points),
    look: basis === "simulated" ? "simulated" : "measured",
    heldOut: new Map(heldOut.map((each) => [each.point_id, each])),
  };
}

/** Purposes of which something was measured. */
export function purposesOf({ points }: Measurements): readonly PointPurpose[] {
  return BESIDE.filter((purpose) => points.some(({ setting }) => setting.purpose === purpose));
}

/** Drop over the number of competitors, a line for each type of them; what was predicted of each point beside it. */
export function overCompetitors(measured: Measurements, purpose: PointPurpose): readonly Series[] {
  const points = measured.points.filter(({ setting }) => setting.purpose === purpose);
  const names = [...new Set(points.map(({ setting }) => mixName(setting)))].sort();
  const lines = names.slice(0, MOST_LINES).map((name): Series => {
    const own = points
      .filter(({ setting }) => mixName(setting) === name)
      .map((point) => drawn(point, point.setting.others.length))
      .sort((a, b) => a.x - b.x);
    return { name, look: measured.look, points: own, joined: name !== "mixed" };
  });
  const rest = points.filter(({ setting }) => names.indexOf(mixName(setting)) >= MOST_LINES);
  const others: Series[] =
    rest.length === 0
      ? []
      : [{ name: "others", look: measured.look, points: rest.map((each) => drawn(each, each.setting.others.length)) }];
  return [...predictedOf(measured, points, ({ setting }) => setting.others.length), ...lines, ...others];
}

function predictedOf(measured: Measurements, points: Points, at: (point: Points[number]) => number): Series[] {
  const found = points.flatMap((point) => {
    const held = measured.heldOut.get(point.id);
    return held ? [predictedPoint(held, at(point) + APART)] : [];
  });
  return found.length === 0 ? [] : [{ name: "predicted", look: "predicted", points: found }];
}

/** Drop over the size of bubbles, in MiB. */
export function overBubbles(measured: Measurements): readonly Series[] {
  const points = measured.points.filter(({ setting }) => setting.bubble_kib != null);
  const numbers = [...new Set(points.map(({ setting }) => setting.others.length))].sort((a, b) => a - b);
  return numbers.map((number) => ({
    name: number === 1 ? "1 bubble" : `${number} bubbles`,
    look: measured.look,
    joined: true,
    points: points
      .filter(({ setting }) => setting.others.length === number)
      .map((point) => drawn(point, (point.setting.bubble_kib ?? 0) / 1024))
      .sort((a, b) => a.x - b.x),
  }));
}

/** Drop over pressure in one role: the fitted curve with its interval, and the points it was fitted on. */
export function overPressure(
  measured: Measurements,
  curves: ReadonlyMap<string, CurveModel>,
  nfType: string,
  role: CurveRole,
): readonly Series[] {
  const curve = curves.get(nfType)?.curves.find((each) => each.role === role);
  const points = measured.points.flatMap((point) => {
    const { setting } = point;
    if (!BESIDE.includes(setting.purpose) || roleOf(setting) !== role) return [];
    const pressure = pressureOn(setting, curves, curve?.far_share ?? 1);
    return pressure === null ? [] : [drawn(point, pressure)];
  });
  const band: Series[] = curve
    ? [{ name: "predicted", look: "band", points: knotsOf(curve, Math.max(0, ...points.map(({ x }) => x))) }]
    : [];
  return points.length === 0 ? band : [...band, { name: ROLES[role], look: measured.look, points }];
}

/** Points of a role that have no place on the axis of pressure, and whose pressure is not known. */
export function notPlaced(
  { points }: Measurements,
  curves: ReadonlyMap<string, CurveModel>,
  role: CurveRole,
): { points: number; of: readonly string[] } {
  const found = points.filter(
    ({ setting }) =>
      BESIDE.includes(setting.purpose) && roleOf(setting) === role && pressureOn(setting, curves, 1) === null,
  );
  const others = found.flatMap(({ setting }) => [...setting.chain.slice(0, -1), ...setting.others]);
  const unknown = new Set(others.map(({ nf_type }) => nf_type).filter((name) => !curves.has(name)));
  return { points: found.length, of: [...unknown].sort() };
}

/** The curve's knots in points; constant beyond the last, as far as there are points. */
function knotsOf(curve: CurveModel["curves"][number], reach: number): Series["points"] {
  const half = curve.half_width == null ? null : 100 * curve.half_width;
  const knots = curve.pressures.map((x, index) => ({ x, y: 100 * (curve.drops[index] ?? 0), half, title: "" }));
  const last = knots.at(-1);
  return last && last.x < reach ? [...knots, { ...last, x: reach }] : knots;
}

/** What a fixed reporter loses, over how many instances stand beside it: on its own node, and on others. */
export function overInstances({ points, look }: Measurements): readonly Series[] {
  const reports = points.filter(({ setting }) => setting.purpose === "contentiousness");
  const sides = [
    { name: "on its node", near: true },
    { name: "on another node", near: false },
  ];
  return sides.flatMap(({ name, near }) => {
    const own = reports
      .filter(({ setting }) => setting.others.every(({ node }) => (node === setting.chain.at(-1)?.node) === near))
      .map((point) => drawn(point, point.setting.others.length))
      .sort((a, b) => a.x - b.x);
    return own.length === 0 ? [] : [{ name, look, points: own, joined: true }];
  });
}
