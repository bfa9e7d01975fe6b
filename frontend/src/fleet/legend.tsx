/** The key of the picture: every step of the ramp with its range, every shape with its word. */

import { type ReactNode, useState } from "react";
import { tick as axis } from "@/lib/format";
import { STEPS } from "@/lib/ramp";
import type { Density } from "./density";
import type { Layer, LayerKey, RampKey } from "./layers";
import type { HostModel } from "./model";

export function Legend(props: {
  layer: Layer;
  level: Density;
  /** Why the layer shows nothing at all; null where it shows something. */
  whyMissing?: string | null;
  models: readonly HostModel[];
  /** The operator sets another end of the scale; undefined: the fixed one again. */
  onRange: (max: number | undefined) => void;
}): ReactNode {
  const { layer, level, whyMissing, models } = props;
  // A figure of nodes has no room beside so many cores: it is painted instead of them.
  const blocks = level === "mass" && layer.ofNode !== undefined;
  return (
    <div className="legend">
      <span
        className="legend-scale"
        role="img"
        aria-label={`Scale of ${layer.title}, ${tick(layer, 0)} to ${tick(layer, STEPS - 1)} ${layer.unit}`}
      >
        <b>{layer.title}</b> {layer.unit}
        <span className="legend-ramp">
          {Array.from({ length: STEPS }, (_, step) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps are their indices
            <span key={step} title={range(layer, step)}>
              <i style={{ background: `var(--${PREFIX[layer.ramp]}-${step})` }} />
              <em>{tick(layer, step)}</em>
            </span>
          ))}
        </span>
      </span>
      <Range key={`${layer.key} ${layer.max}`} layer={layer} onRange={props.onRange} />
      {layer.ramp === "diverging" && <span className="second-rank">orange below, blue above</span>}
      {(layer.from || (layer.key === "cpu" && hasNotMeasured(models))) && (
        <span className={whyMissing ? "why" : undefined}>
          <i className={blocks ? "key reserved" : level === "mass" ? "key missing foot" : "key missing"} />
          {whyMissing ?? MISSING[layer.key] ?? "not reported"}
        </span>
      )}
      {!blocks && <KeysOfCores level={level} models={models} />}
      <span>
        <i className="key violated" />
        limits a violated chain
      </span>
      <span>
        <i className={level === "mass" ? "key silent" : "key stale"} />
        stale
      </span>
      <span className="second-rank">
        <i className="key unreachable" />
        unreachable
      </span>
      {level === "mass" ? (
        <span className="second-rank">
          {blocks ? "a block a node, node 0 above" : `a mark a core, ${ORDER[layer.ramp]}`}
        </span>
      ) : (
        <span className="second-rank">
          <i className="key nic" />
          node with the NICs
        </span>
      )}
    </div>
  );
}

/** What stands on a core where the layer has no colour for it. */
function KeysOfCores({ level, models }: { level: Density; models: readonly HostModel[] }): ReactNode {
  const marks = level === "mass" ? " mark" : "";
  return (
    <>
      <span>
        <i className={`key free${marks}`} />
        free
      </span>
      {models.some(({ units }) => units.some(({ kind }) => kind === "other")) && (
        <span>
          <i className="key other-work" />
          no NF, other work
        </span>
      )}
      <span>
        <i className={`key reserved${marks}`} />
        reserved
      </span>
    </>
  );
}

/** Of the marks of a host in `mass`. */
const ORDER: Record<RampKey, string> = { sequential: "highest first", diverging: "furthest below first" };

/** Of the tokens that hold the ramp's steps. */
const PREFIX: Record<RampKey, string> = { sequential: "seq", diverging: "div" };

const MISSING: Partial<Record<LayerKey, string>> = {
  headroom: "not known",
  cpu: "in the kernel: not measured",
  ways: "shares what is left",
  bandwidth: "no limit",
  queue: "no measured way to another host",
  predicted: "no prediction",
  difference: "prediction not tested",
};

/** Some NF that is reported has no figure: it is in the kernel. */
function hasNotMeasured(models: readonly HostModel[]): boolean {
  return models.some(({ units }) => units.some(({ nf, value }) => nf?.sample && value === null));
}

/** Scales are fixed so that two screens can be compared; who sets another sees that it is his own. */
function Range({ layer, onRange }: { layer: Layer; onRange: (max: number | undefined) => void }): ReactNode {
  const [text, setText] = useState(String(layer.max));
  const value = Number(text);
  const valid = text.trim() !== "" && value > 0 && value <= 1000;
  const own = layer.ownMax === true;
  return (
    <form
      className="legend-range"
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) onRange(value);
      }}
    >
      <label>
        {layer.ramp === "diverging" ? "to ±" : "to "}
        <input
          className="input"
          inputMode="decimal"
          value={text}
          aria-label={`End of the scale, ${layer.unit}`}
          aria-invalid={!valid}
          onChange={(event) => setText(event.target.value)}
          onBlur={() => valid && value !== layer.max && onRange(value)}
        />
      </label>
      {own && (
        <button type="button" className="btn quiet small" onClick={() => onRange(undefined)}>
          range set by you, reset
        </button>
      )}
    </form>
  );
}

function bound({ ramp, max }: Layer, step: number): string {
  const value = ramp === "diverging" ? (2 * max * step) / STEPS - max : (max * step) / STEPS;
  return axis(Number(value.toPrecision(2)));
}

function range(layer: Layer, step: number): string {
  const end = step === STEPS - 1 ? "and more" : `to ${bound(layer, step + 1)}`;
  const begin = step === 0 && layer.ramp === "diverging" ? "less, " : "";
  return `${begin}${bound(layer, step)} ${end} ${layer.unit}`;
}

function tick({ ramp, max }: Layer, step: number): string {
  if (step === 0) return ramp === "diverging" ? axis(-max) : "0";
  if (step === STEPS - 1) return ramp === "diverging" ? `+${max}` : String(max);
  if (step === 4) return ramp === "diverging" ? "0" : axis(max / 2);
  return "\u00a0";
}
