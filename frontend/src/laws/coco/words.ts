/** CoCo's law in words. Pure. */

import type {
  CocoElement,
  CocoHost,
  CocoHostRow,
  CocoStart,
  Recommendation,
  ShareChange,
  SharedCore,
} from "@/api/types";
import { DASH, percent } from "@/lib/format";
import { gainOf, gainText } from "@/recommendations/words";

/** "48 %" of a core; a dash where it was not measured. */
export function shareText(share: number | null): string {
  return share === null ? DASH : `${percent(100 * share)} %`;
}

/** "Push web.b aside to core 1: +1.6 Gbps", "Carry web in 2 lanes: +1.6 Gbps" */
export function headline(one: Recommendation, push: CocoHost["push"]): string {
  if (push?.lanes && lessText(push.lanes)) return `Carry ${push.lanes.chain} in one lane less`;
  if (push?.lanes) return `Carry ${push.lanes.chain} in ${push.lanes.lanes} lanes: ${gainText(gainOf(one))}`;
  const moves = Object.entries(push?.moves ?? {}).toSorted();
  const what = moves.map(([nf, core], at) => `${nf}${at === 0 ? " aside" : ""} to core ${core}`).join(", ");
  return `Push ${what || `${one.chains.join(", ")} aside`}: ${gainText(gainOf(one))}`;
}

/** "web-lane-2.a on core 1, 60 % of it"; of another host than `host` with its name. */
export function startText({ nf_id, host: at, core, needs }: CocoStart, host: string): string {
  return `${nf_id} on core ${core}${at === host ? "" : ` of ${at}`}, ${shareText(needs)} of it`;
}

/** "on sim-2"; empty where all new lanes stay on `host`. */
export function elsewhereText({ starts }: Lanes, host: string): string {
  const names = [...new Set(starts.map((start) => start.host).filter((name) => name !== host))].toSorted();
  return names.length === 0 ? "" : `on ${names.join(", ")}`;
}

type Lanes = NonNullable<NonNullable<CocoHost["push"]>["lanes"]>;

/** "web-lane-2.a leaves core 1"; empty where no lane would go. */
export function lessText({ leaves = {} }: Lanes): string {
  return Object.entries(leaves)
    .toSorted()
    .map(([nf, core]) => `${nf} leaves core ${core}`)
    .join("; ");
}

/** "core 0 would need 70 %" */
export function loadsText({ loads = {} }: Lanes): string {
  return Object.entries(loads)
    .map(([core, load]) => `core ${core} would need ${shareText(load)}`)
    .join("; ");
}

/** "uses 40 %, needs 48 %" */
export function needText({ use, needs }: CocoElement): string {
  if (use === null || needs === null) return "not measured";
  return needs > use ? `uses ${shareText(use)}, needs ${shareText(needs)}` : `uses ${shareText(use)}`;
}

/** "; tied by edge-firewall"; empty where nothing ties it. */
export function tieText({ tie }: CocoElement): string {
  return tie ? `; tied by ${tie}` : "";
}

export function overloadedRows(rows: readonly CocoHostRow[]): readonly CocoHostRow[] {
  return rows.filter(({ overloaded }) => overloaded > 0);
}

/** "nat.a 25 %, web.a 75 %"; a dash where they cannot be read. */
export function sharesText({ nfs }: SharedCore): string {
  return nfs.map(({ nf_id, percent: share }) => `${nf_id} ${percent(share)} %`).join(", ") || DASH;
}

/** By which a core is divided; what leaves it out means CoCo's. */
export function lawText(law: SharedCore["law"]): string {
  return law === "rate-cost" ? "rate × cost" : "queue matching";
}

/** "nat.a 50 to 25 %, web.a 50 to 75 %" */
export function changeText({ nfs }: ShareChange): string {
  return nfs
    .map(
      ({ nf_id, before_percent, after_percent }) =>
        `${nf_id} ${percent(before_percent)} to ${percent(after_percent)} %`,
    )
    .join(", ");
}

/** What the needs of each NF type on these cores go by: promoted shares, or null for the slope of each second. */
export function linesOf(cores: CocoHost["cores"]): readonly { nfType: string; sharesId: number | null }[] {
  const found = new Map<string, { nfType: string; sharesId: number | null }>();
  for (const { nf_type, shares_id } of cores.flatMap(({ elements }) => elements)) {
    found.set(`${nf_type} ${shares_id ?? ""}`, { nfType: nf_type, sharesId: shares_id ?? null });
  }
  return [...found.values()].toSorted((a, b) => (a.nfType < b.nfType ? -1 : 1));
}
