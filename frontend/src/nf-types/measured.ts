/** Measured points of an NF type as its plots draw them: drops in points over competitors, bubbles or pressure. Pure. */

import type { CurveModel, FittedPoint, PointPurpose, PointSetting, ProfilingPoint } from "@/api/types";
import { figure } from "@/lib/format";
import type { PlotPoint } from "@/ui/plot-geometry";

export type CurveRole = CurveModel["curves"][number]["role"];

/** Where it stands in its chain, as far as caches care; only the NF right in front of it counts. */
export function roleOf({ chain, ingress_node }: PointSetting): CurveRole {
  const [subject, upstream] = [chain.at(-1), chain.at(-2)];
  const together = upstream !== undefined && upstream.node === subject?.node;
  if (subject?.node === ingress_node) return upstream === undefined || together ? "local" : "crossing";
  return together ? "behind" : "head";
}

type Standing = PointSetting["chain"][number];

interface Pressing extends Standing {
  /** Over its ideal one; 1 where either is not known. */
  readonly rate: number;
}

/** Other NFs at the rates that can be known beforehand: a chain goes at its slowest NF's, its own at the subject's. */
function pressing(setting: PointSetting, models: ReadonlyMap<string, CurveModel>): readonly Pressing[] {
  const { chain, downstream, others, others_a_chain, rate_mpps, ingress_node } = setting;
  const alone = ({ nf_type, node }: Standing): number => {
    const ideal = models.get(nf_type)?.ideal_mpps;
    return ideal ? (node === ingress_node ? ideal.local : ideal.remote) : Infinity;
  };
  const at = (nf: Standing, mpps: number): Pressing => {
    const ideal = alone(nf);
    return { ...nf, rate: ideal === Infinity || mpps >= ideal ? 1 : mpps / ideal };
  };
  const subject = chain.at(-1);
  const own = subject ? alone(subject) : Infinity;
  return [
    ...[...chain.slice(0, -1), ...downstream].map((nf) => at(nf, own)),
    ...others.map((nf, index) => {
      const first = index - (index % others_a_chain);
      return at(nf, Math.min(rate_mpps ?? Infinity, ...others.slice(first, first + others_a_chain).map(alone)));
    }),
  ];
}

/**
 * Sum of the pressures of all other NFs; null where one is not known. `models`: of one fit, by NF type. `farShare`: what
 * pressure from other nodes counts, of the curve in question.
 */
export function pressureOn(
  setting: PointSetting,
  models: ReadonlyMap<string, CurveModel>,
  farShare: number,
): number | null {
  if (setting.bubble_kib != null) return null;
  const node = setting.chain.at(-1)?.node;
  let total = 0;
  for (const other of pressing(setting, models)) {
    const model = models.get(other.nf_type);
    if (!model) return null;
    total += other.rate ** model.rate_exponent * (other.node === node ? model.near : farShare * model.far);
  }
  return total;
}

/** "2 router, 1 nids on node 0 and 1 nids on node 1". */
export function companyText({ others, chain }: PointSetting): string {
  const nodes = new Map<number, Map<string, number>>();
  for (const { nf_type, node } of others) {
    const types = nodes.get(node) ?? new Map<string, number>();
    nodes.set(node, types.set(nf_type, (types.get(nf_type) ?? 0) + 1));
  }
  const beside = [...nodes]
    .sort(([a], [b]) => a - b)
    .map(([node, types]) => {
      const names = [...types].sort(([a], [b]) => a.localeCompare(b)).map(([name, many]) => `${many} ${name}`);
      return `${names.join(", ")} on node ${node}`;
    });
  const front = chain.slice(0, -1).map(({ nf_type }) => nf_type);
  const behind = front.length > 0 ? [`behind ${front.join(", ")}`] : [];
  return [...(beside.length > 0 ? [`beside ${beside.join(" and ")}`] : []), ...behind].join(", ") || "alone";
}

/** "router" where all competitors are of one type, "mixed" otherwise. */
export function mixName({ others }: PointSetting): string {
  const types = new Set(others.map(({ nf_type }) => nf_type));
  return types.size === 1 ? ([...types][0] ?? "") : types.size === 0 ? "none" : "mixed";
}

interface Dropped extends ProfilingPoint {
  readonly drop_percent: NonNullable<ProfilingPoint["drop_percent"]>;
}

/** Each measurement once, whichever jobs used it; only those of which a drop is known. */
export function withDrop(points: readonly ProfilingPoint[]): readonly Dropped[] {
  const found = new Map<number, Dropped>();
  for (const point of points) {
    if (point.state !== "done" || !point.drop_percent) continue;
    const key = point.record_id ?? -point.id;
    const known = found.get(key);
    if (!known || (known.reused && !point.reused)) found.set(key, { ...point, drop_percent: point.drop_percent });
  }
  return [...found.values()].sort((a, b) => a.id - b.id);
}

/** A measured point with its interval. */
export function drawn(point: Dropped, x: number): PlotPoint {
  const { value, half_width } = point.drop_percent;
  const interval = half_width == null ? "" : ` ± ${figure(half_width)}`;
  return {
    x,
    y: value,
    half: half_width ?? null,
    title: `${figure(value)}${interval} points, ${companyText(point.setting)}`,
  };
}

/** The same point as it was predicted when it was held out; a little to the right, so that both are seen. */
export function predictedPoint(held: FittedPoint, x: number): PlotPoint {
  const [value, half] = [100 * held.predicted_drop, held.half_width === null ? null : 100 * held.half_width];
  const interval = half === null ? "" : ` ± ${figure(half)}`;
  return { x, y: value, half, title: `predicted ${figure(value)}${interval} points when it was held out` };
}

export const PURPOSES: Readonly<Record<PointPurpose, string>> = {
  ideal: "Alone",
  local: "Local",
  across: "Across",
  remote: "Remote",
  crossing: "Crossing",
  behind: "Behind",
  rates: "Rates",
  handing: "Handing",
  sensitivity: "Bubbles",
  contentiousness: "Reporter",
  level: "Levels",
  share: "Shares",
  hop: "Hops",
};

export const PURPOSE_NOTES: Readonly<Record<PointPurpose, string>> = {
  ideal: "solo: no other NFs run",
  local: "competitors on its own node, where packets arrive",
  across: "competitors on other nodes only: memory without the cache",
  remote: "on a remote node, competitors there",
  crossing: "on the local node, the NF before it on another",
  behind: "on a remote node, behind an NF of its own chain",
  rates: "competitors below their full rate, some in chains",
  handing: "the NF before or behind it in its chain",
  sensitivity: "beside bubbles of increasing size",
  contentiousness: "a fixed reporter beside it",
  level: "alone, with some cache ways and memory bandwidth",
  share: "alone, offered a rate: the share of its core",
  hop: "twice in a chain, offered a rate: what handing on costs",
};

export const ROLE_ORDER: readonly CurveRole[] = ["local", "crossing", "head", "behind"];

export const ROLES: Readonly<Record<CurveRole, string>> = {
  local: "Local",
  crossing: "Crossing",
  head: "Remote, first of its run",
  behind: "Remote, behind",
};
