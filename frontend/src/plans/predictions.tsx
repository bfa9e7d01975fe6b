/** What the plan does to each chain it touches; opened, what each NF loses and to what. */

import { Fragment, type ReactNode, useState } from "react";
import type { ChainPrediction, ChainView, NfPrediction, PlanBody, SloVerdict } from "@/api/types";
import { toWhom } from "@/interference/causes";
import { DASH, figure, signed } from "@/lib/format";
import { intervalText, predictorName } from "@/trust/words";
import { Figure, Mark, type Origin, Shape } from "@/ui/marks";
import { Pager, usePages } from "@/ui/pager";
import { Section } from "@/ui/section";
import { dropsOf } from "./drop-bar";
import { IntervalBar } from "./interval-bar";
import { chooserOf } from "./status";

/** So few chains are shown with their NFs at once. */
const OPEN_AT_FIRST = 2;

/** `chains`: as they run; null where the plan is about another fleet, which nothing is measured of. */
export function PredictionsSection(props: {
  body: PlanBody;
  chains: ReadonlyMap<string, ChainView> | null;
}): ReactNode {
  const { predictions } = props.body;
  const pages = usePages(predictions, 20);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const openByRule = predictions.length <= OPEN_AT_FIRST;
  const toggle = (chain: string) => {
    const next = new Set(toggled);
    if (!next.delete(chain)) next.add(chain);
    setToggled(next);
  };
  const anyNfs = predictions.some(({ nfs }) => nfs.length > 0);
  return (
    <Section title="Chains affected" note={predictions.length}>
      <table aria-label="Predictions">
        <thead>
          <tr>
            <th scope="col">Chain</th>
            {props.chains && (
              <th scope="col" className="num">
                now, Mpps
              </th>
            )}
            <th scope="col" className="num">
              after, Mpps
            </th>
            <th scope="col" className="num" title={GAIN}>
              gain, Mpps
            </th>
            <th scope="col">Objectives</th>
          </tr>
        </thead>
        <tbody>
          {pages.shown.map((prediction) => (
            <PredictionRow
              key={prediction.chain}
              prediction={prediction}
              chain={props.chains?.get(prediction.chain)}
              measured={props.chains !== null}
              open={toggled.has(prediction.chain) !== openByRule}
              onToggle={() => toggle(prediction.chain)}
            />
          ))}
        </tbody>
      </table>
      <Pager pages={pages} one="chain" />
      {anyNfs && (
        <p className="drop-key t2" aria-hidden="true">
          Of an NF's solo throughput:
          {(["kept", "cache", "memory", "fixed"] as const).map((part) => (
            <span key={part} className="nowrap">
              <i className={`drop ${part}`} /> {KEY[part]}
            </span>
          ))}
        </p>
      )}
    </Section>
  );
}

/** A longer note, or source of an interval, has a line of its own, across all columns. */
const BRIEF = 24;
const BRIEF_SOURCE = 30;

const KEY = { kept: "kept", cache: "lost to cache", memory: "to memory", fixed: "fixed" } as const;

function PredictionRow(props: {
  prediction: ChainPrediction;
  /** As it runs; undefined where it does not. */
  chain: ChainView | undefined;
  /** False where there is no column of what is measured. */
  measured: boolean;
  open: boolean;
  onToggle: () => void;
}): ReactNode {
  const { prediction, chain, measured, open, onToggle } = props;
  const chooser = chooserOf(prediction);
  const unknown = prediction.throughput_mpps === null && Boolean(prediction.note);
  const note = prediction.note ?? "";
  const source = prediction.interval_source ? intervalText(prediction) : "";
  const beside = source.length <= BRIEF_SOURCE;
  const apart = unknown || note.length > BRIEF || !beside;
  const nfs = open ? prediction.nfs : [];
  return (
    <>
      <tr className={apart || nfs.length > 0 ? "with-note" : ""}>
        <td className="chain-name">
          {prediction.nfs.length > 0 ? (
            <button type="button" className="link opener" aria-expanded={open} onClick={onToggle}>
              <span aria-hidden="true">{open ? "▾" : "▸"}</span> {prediction.chain}
            </button>
          ) : (
            prediction.chain
          )}
        </td>
        {measured && (
          <td className="num">
            <Now chain={chain} />
          </td>
        )}
        <td className="num">
          <Figure
            origin={prediction.provenance}
            value={prediction.throughput_mpps}
            low={prediction.low_mpps}
            high={prediction.high_mpps}
            {...(prediction.note ? { why: prediction.note } : {})}
          />
          {prediction.predictor && <div className="t3 nowrap">{predictorName(prediction.predictor)}</div>}
          {source && beside && <div className="t3 nowrap">{source}</div>}
          {chooser && (
            <div className="t3 nowrap" title={chosenBy(chooser.by)}>
              {figure(chooser.figures.throughput_mpps)} by {chooser.by}, which placed it
            </div>
          )}
          {prediction.assumes && prediction.assumes.length > 0 && (
            <div className="t3 nowrap">
              <Mark origin="assumed" />
              {prediction.assumes.join(", ")} assumed
            </div>
          )}
        </td>
        <td className="num">
          <Gain prediction={prediction} />
          {chooser?.figures.before_mpps != null && (
            <div className="t3 nowrap" title={`predicted now ${figure(chooser.figures.before_mpps)} Mpps`}>
              {signed(chooser.figures.throughput_mpps - chooser.figures.before_mpps)} by {chooser.by}
            </div>
          )}
        </td>
        <td>
          <SloWord name="throughput" verdict={prediction.throughput_slo} />
          <SloWord name="latency" verdict={prediction.latency_slo} />
          {prediction.throughput_slo === null && prediction.latency_slo === null && <span className="t3">none</span>}
          {!apart && note && <div className="t3 nowrap">{note}</div>}
        </td>
      </tr>
      {apart && (
        <tr className="note">
          <td colSpan={measured ? 5 : 4} className="t3">
            {[unknown ? `Not predictable: ${note}` : note, beside ? "" : source].filter(Boolean).join("; ")}
          </td>
        </tr>
      )}
      {nfs.length > 0 && (
        <tr className="note">
          <td colSpan={measured ? 5 : 4}>
            <IntervalBar prediction={prediction} now={chain} />
            <NfDrops prediction={prediction} nfs={nfs} />
          </td>
        </tr>
      )}
    </>
  );
}

const GAIN =
  "Predicted throughput under the plan minus predicted throughput of the present placement, by the same models. Measurements are not used.";

const chosenBy = (predictor: string) =>
  `Nodes were chosen by ${predictor}, the predictor that is trusted here. What each NF loses, and to which neighbours, follows from Octans' equations.`;

function Gain({ prediction }: { prediction: ChainPrediction }): ReactNode {
  const { before_mpps: before, throughput_mpps: after } = prediction;
  if (before == null || after === null) return DASH;
  return (
    <span className="nowrap" title={`predicted now ${figure(before)} Mpps`}>
      {signed(after - before)}
    </span>
  );
}

function Now({ chain }: { chain: ChainView | undefined }): ReactNode {
  return chain?.sample ? <Figure origin={chain.provenance} value={chain.sample.delivered_mpps} /> : DASH;
}

/** The NFs in the order of the chain; the slowest is named. */
function NfDrops({ prediction, nfs }: { prediction: ChainPrediction; nfs: readonly NfPrediction[] }): ReactNode {
  const name = (id: string) => id.slice(id.indexOf(".") + 1);
  return (
    <dl className="drops" aria-label={`NFs of ${prediction.chain}`}>
      {nfs.map((nf) => (
        <Fragment key={nf.nf_id}>
          <dt>
            {name(nf.nf_id)}
            {nf.nf_id === prediction.bottleneck && <span className="t3"> slowest</span>}
          </dt>
          <dd>
            <NfDrop nf={nf} origin={prediction.provenance} />
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}

function NfDrop({ nf, origin }: { nf: NfPrediction; origin: Origin }): ReactNode {
  const { kept, drops } = dropsOf(nf);
  const worst = nf.worst[0];
  return (
    <>
      <svg className="drop-bar" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect className="kept" width={kept * 100} height={6} />
        {drops.map((drop, index) => {
          const before = drops.slice(0, index).reduce((sum, each) => sum + each.width, kept);
          return <rect key={drop.kind} className={drop.kind} x={before * 100} width={drop.width * 100} height={6} />;
        })}
      </svg>
      <div>
        <Mark origin={origin} />
        {figure(nf.mpps)} of {figure(nf.ideal_mpps)} Mpps
        <span className="t2">
          : {drops.map(({ kind, mpps }) => `${kind} ${figure(mpps)}`).join(", ")}
          {worst && worst.lost_mpps >= 0.005 && `; most, ${figure(worst.lost_mpps)}, ${toWhom(worst)}`}
        </span>
      </div>
    </>
  );
}

function SloWord({ name, verdict }: { name: string; verdict: SloVerdict | null }): ReactNode {
  if (verdict === null) return null;
  const shape = { met: "ok", missed: "bad", not_predictable: null } as const;
  const word = { met: "met", missed: "missed", not_predictable: "not predictable" }[verdict];
  const mark = shape[verdict];
  return (
    <div className={verdict === "missed" ? "bad nowrap" : verdict === "met" ? "nowrap" : "t3 nowrap"}>
      {mark && <Shape name={mark} />}
      {name} {word}
    </div>
  );
}
