/** The key of the picture: every step of the ramp with its range, every shape with its word. */

import type { ReactNode } from "react";
import type { Density } from "./density";
import type { Layer } from "./layers";
import { STEPS } from "./ramp";

export function Legend({ layer, level }: { layer: Layer; level: Density }): ReactNode {
  return (
    <div className="legend" role="img" aria-label={`Scale of ${layer.title}, 0 to ${layer.max} ${layer.unit}`}>
      <span className="legend-scale">
        <b>{layer.title}</b> {layer.unit}
        <span className="legend-ramp">
          {Array.from({ length: STEPS }, (_, step) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps are their indices
            <span key={step} title={range(layer, step)}>
              <i style={{ background: `var(--seq-${step})` }} />
              <em>{tick(layer, step)}</em>
            </span>
          ))}
        </span>
      </span>
      <span>
        <i className="key free" />
        free
      </span>
      <span>
        <i className="key reserved" />
        reserved
      </span>
      <span>
        <i className="key violated" />
        {level === "mass" ? "host with a violated chain" : "limits a violated chain"}
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
        <span className="second-rank">node 0 above node 1, every core one mark, highest first</span>
      ) : (
        <span className="second-rank">
          <i className="key nic" />
          node with the NICs
        </span>
      )}
    </div>
  );
}

function bound(layer: Layer, step: number): string {
  const value = (layer.max * step) / STEPS;
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}

function range(layer: Layer, step: number): string {
  const end = step === STEPS - 1 ? "and more" : `to ${bound(layer, step + 1)}`;
  return `${bound(layer, step)} ${end} ${layer.unit}`;
}

function tick(layer: Layer, step: number): string {
  if (step === 0) return "0";
  if (step === STEPS - 1) return String(layer.max);
  return step === 4 ? String(layer.max / 2) : "\u00a0";
}
