/** Predictions beside what came of them, in the words of tips, tables and legends. Pure. */

import type { StandingPrediction } from "@/api/types";
import { differenceText } from "@/lib/difference";
import { count, figure, SIGNS, signed } from "@/lib/format";
import { predictorName } from "@/trust/words";
import type { Layer } from "./layers";
import type { HostModel, Unit } from "./model";
import { differencePercent, type HostSum, isInside, originOf, sumOf } from "./predictions";

/** " [5.8, 6.3]"; nothing where there is no interval. */
export function intervalText(low: number | null | undefined, high: number | null | undefined): string {
  return low == null || high == null ? "" : ` [${figure(low)}, ${figure(high)}]`;
}

/** Why a prediction and what is measured say nothing of each other; null where they do. */
export function whyNotCompared({ test, offered_mpps, measured_mpps }: StandingPrediction): string | null {
  switch (test) {
    case "informative":
      return null;
    case "offered_too_little":
      return `not tested: it carries all of the ${figure(offered_mpps)} Mpps offered, and could carry more`;
    case "port_full":
      return `not tested: its port is full at ${figure(measured_mpps)} Mpps of it`;
    default:
      return "not measured yet: this takes ten seconds of steady load";
  }
}

/** Lines of a cell's tip: the chain's prediction, what came of it, and its host's sum. Nothing where nobody asked. */
export function predictionLines(unit: Unit, model: HostModel, mark: string): string[] {
  const { forecast } = model;
  if (forecast === undefined || !unit.nf) return [];
  if (forecast === null || !unit.standing) return [`○ no prediction for the present state of ${unit.nf.chain}`];
  const { standing } = unit;
  const sign = SIGNS[originOf(standing)];
  const { predicted_mpps: predicted, low_mpps: low, high_mpps: high } = standing;
  const interval = intervalText(low, high);
  const assumed = standing.assumed ? " with assumed models" : "";
  const from = `${predictorName(forecast.predictor)}${assumed}, plan ${forecast.planId}`;
  return [
    `${sign} ${unit.nf.chain}: predicted ${figure(predicted)}${interval} Mpps${interval ? "" : " (no interval)"} by ${from}`,
    `${mark} ${comparedText(standing)}`,
    ...blamedLine(unit),
    ...hostLine(model),
  ];
}

/** Whose the difference is: other NFs of the chain are not painted with it. */
function blamedLine({ nf, blamed, standing }: Unit): string[] {
  if (!nf || !blamed || standing?.test !== "informative") return [];
  const how = blamed.by === "measured" ? "limits" : "was predicted to limit";
  if (blamed.nfId === nf.nf_id) return [`it ${how} ${nf.chain}: the difference is shown here`];
  return [`not its difference: ${blamed.nfId.slice(nf.chain.length + 1)} ${how} ${nf.chain}`];
}

function comparedText(standing: StandingPrediction): string {
  const why = whyNotCompared(standing);
  if (why) return why;
  const inside = isInside(standing);
  const where = inside === null ? "" : inside ? ", inside its interval" : ", outside its interval";
  return `carries ${figure(standing.measured_mpps)}, ${differenceText(differencePercent(standing))} % of predicted${where}`;
}

function hostLine({ host, forecast }: HostModel): string[] {
  const sum = sumOf(forecast);
  return sum && sum.chains > 1 ? [`${host.host_id}: ${SIGNS[sum.origin]} ${sumText(sum)}`] : [];
}

/** "12.3 [11.0, 13.1] Mpps of 4 chains predicted, −3.2 % of the 3 tested". */
function sumText(sum: HostSum): string {
  const predicted = `${figure(sum.predicted)}${intervalText(sum.low, sum.high)} Mpps of ${count(sum.chains, "chain")} predicted`;
  if (sum.differencePercent === null) return `${predicted}, none of them tested`;
  const of = sum.informative === sum.chains ? "" : ` of the ${sum.informative} tested`;
  return `${predicted}, ${differenceText(sum.differencePercent)} %${of}`;
}

/** What stands beside a host's name while a layer of predictions is shown; "" where nothing is known. */
export function hostFigure(model: HostModel, layer: Layer, brief: boolean): string {
  const sum = sumOf(model.forecast);
  if (!sum) return "";
  if (layer.key === "difference")
    return sum.differencePercent === null ? "" : `${differenceText(sum.differencePercent)} %`;
  return brief ? figure(sum.predicted) : `${figure(sum.predicted)}${intervalText(sum.low, sum.high)} Mpps`;
}

/** Why a layer of predictions shows nothing at all; null where it shows something. */
export function whyUnpredicted(layer: Layer, models: readonly HostModel[]): string | null {
  if (layer.from !== "plans" || models.length === 0) return null;
  const units = models.flatMap((model) => model.units).filter(({ kind }) => kind === "used");
  if (units.some(({ value }) => value !== null)) return null;
  if (units.length === 0) return "no NF runs that could be predicted";
  if (models.every(({ forecast }) => forecast === undefined)) return "loading predictions";
  const standing = new Map(units.flatMap((unit) => (unit.standing ? [[unit.standing.chain, unit.standing]] : [])));
  if (standing.size === 0) {
    return "no predictions here: a plan predicts when it is applied, if a model applies and no chain is paused";
  }
  const tests = [...standing.values()].map(({ test }) => test);
  const n = (of: string | undefined) => tests.filter((each) => each === of).length;
  const parts = [
    [n("offered_too_little"), "offered less than they could carry"],
    [n("port_full"), "at the limit of their port"],
    [n(undefined), "not yet measured for ten seconds of steady load"],
  ] as const;
  const why = parts.filter(([many]) => many > 0).map(([many, words]) => `${many} ${words}`);
  return `${count(standing.size, "chain")} predicted, none tested: ${why.join(", ")}`;
}

/** "−0.2": measured less predicted, in Mpps. */
export function differenceMpps({ measured_mpps, predicted_mpps }: StandingPrediction): string {
  return signed(measured_mpps == null ? null : measured_mpps - predicted_mpps);
}
