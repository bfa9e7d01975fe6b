/** Which layer a map of cores shows, and of throughput: as it is now, as it was predicted, or how far the two differ. */

import type { ReactNode } from "react";
import { Segmented } from "@/ui/segmented";
import { DEFAULT_LAYER, LAYERS, type LayerKey } from "./layers";

type Figures = "now" | "predicted" | "difference";

const NOW = LAYERS.filter(({ from }) => from !== "plans").map(({ key, title }) => ({ key, text: title }));

/** What history keeps of NFs. */
const THEN: readonly LayerKey[] = ["utilisation", "cpu", "throughput", "drops"];

/** Of a past moment: the layer that was chosen, where it is kept. */
export function layerThen(layer: LayerKey): LayerKey {
  return THEN.includes(layer) ? layer : DEFAULT_LAYER;
}

/** `then`: of a past moment, of which nothing is predicted. */
export function LayerChoice(props: {
  layer: LayerKey;
  then?: boolean;
  onChange: (layer: LayerKey) => void;
}): ReactNode {
  const { layer, onChange, then = false } = props;
  if (then) {
    const options = NOW.filter(({ key }) => THEN.includes(key));
    return <Segmented label="Layer" value={layerThen(layer)} options={options} onChange={onChange} />;
  }
  const figures: Figures = layer === "predicted" || layer === "difference" ? layer : "now";
  return (
    <>
      {/* Throughput alone is predicted: it stays chosen beside what is shown of it. */}
      <Segmented
        label="Layer"
        value={figures === "now" ? layer : "throughput"}
        options={NOW}
        onChange={(key) => onChange(key)}
      />
      <Segmented
        label="Now, predicted or difference"
        value={figures}
        options={[
          { key: "now", text: "Now" },
          { key: "predicted", text: "Predicted" },
          { key: "difference", text: "Difference" },
        ]}
        onChange={(key) => onChange(key === "now" ? "throughput" : key)}
      />
    </>
  );
}
