/** What a cell says on hover and focus, line by line. */

import type { NfSample, NfView } from "@/api/types";
import { reservedText } from "@/capabilities/cores";
import { linkText, memoryOf, missPercent, nodeOf, remotePercent } from "@/interference/counters";
import { ageOrTime, figure, percent, SIGNS } from "@/lib/format";
import { cpuText } from "./cpu";
import { lossPercent } from "./layers";
import { loadText } from "./load-words";
import type { HostModel, Unit } from "./model";
import { otherText } from "./other-work";
import { predictionLines } from "./prediction-words";
import { statusText } from "./status";

export function describeUnit(unit: Unit, model: HostModel, nowMs: number): string[] {
  const slots = unit.core.slots ?? 1;
  const slot = slots > 1 ? ` · slot ${unit.slot + 1} of ${slots}` : "";
  const lines = [`${unit.host} · node ${unit.node} · core ${unit.core.id}${slot}`];
  const silent = statusText(model.host, nowMs);
  if (silent) lines.push(silent);
  const { nf } = unit;
  const reserved = model.host.reserved_cores.find(({ core }) => core === unit.core.id);
  if (!nf) {
    lines.push(emptyText(unit));
    if (reserved) lines.push(`${reserved.by}: ${reserved.reason}`);
    if (unit.kind === "free" && unit.other !== null)
      lines.push(`${SIGNS[model.host.provenance]} ${otherText(unit.other)}`);
    if (unit.core.last_choice) lines.push("used last: only when every other core is full");
    return lines;
  }
  lines.push(`${nf.nf_type}, NF ${nf.position + 1} of ${nf.chain}${stateText(nf)}`);
  if (reserved) lines.push(`on a core reserved by ${reserved.by} (${reserved.reason}): stays until a plan moves it`);
  if (nf.sample) {
    const mark = SIGNS[model.host.provenance];
    lines.push(
      `${mark} ${loadText(nf.sample)}`,
      `${mark} ${figure(nf.sample.tx_mpps)} Mpps · drops ${percent(lossPercent(nf.sample))} % · ${cpuText(nf.sample)}`,
    );
    lines.push(...countedLines(unit, nf.sample, model, mark));
  } else lines.push("no figures from its host");
  lines.push(...predictionLines(unit, model, SIGNS[model.host.provenance]));
  if (unit.other !== null) lines.push(`${SIGNS[model.host.provenance]} ${otherText(unit.other)}`);
  if (unit.limits) lines.push("limits a violated chain");
  lines.push(`here since ${ageOrTime(nf.since, nowMs)}, plan ${nf.plan_id}`);
  return lines;
}

/** What is said of a slot without an NF: "free", "reserved for rx", "no NF; other work 98 % of the core". */
function emptyText({ core, kind, other }: Unit): string {
  if (core.reserved_for) return reservedText(core.reserved_for);
  return kind === "other" ? `no NF; ${otherText(other ?? 0)}` : "free";
}

/** What hardware counters say of the NF and of its node; nothing where there are none. */
function countedLines(unit: Unit, sample: NfSample, { host }: HostModel, mark: string): string[] {
  const misses = missPercent(sample);
  const memory = memoryOf(sample);
  const remote = remotePercent(sample);
  const own = [
    misses === null ? "" : `LLC misses ${percent(misses)} %`,
    memory === null ? "" : `memory ${figure(memory / 1e9)} GB/s`,
    remote === null ? "" : `${percent(remote)} % of it remote`,
  ].filter(Boolean);
  const node = nodeOf(host, unit.node);
  const shared = [
    node?.memory_load_percent == null ? "" : `memory ${percent(node.memory_load_percent)} %`,
    node?.link_load_percent == null ? "" : `link ${linkText(node)}`,
  ].filter(Boolean);
  return [
    ...(own.length > 0 ? [`${mark} ${own.join(" · ")}`] : []),
    ...(shared.length > 0 ? [`${mark} node ${unit.node}: ${shared.join(" · ")}`] : []),
  ];
}

function stateText(nf: NfView): string {
  if (nf.paused) return ", paused";
  return nf.state && nf.state !== "running" ? `, ${nf.state}` : "";
}
