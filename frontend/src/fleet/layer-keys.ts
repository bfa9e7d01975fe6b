/** Keys of a map of cores: digits choose the layer, U, H, C and Q utilisation, headroom, CPU and link queues, M, O and D
 * what of throughput is shown (measured, predicted, difference), T switches between picture and table, Escape unpins, and
 * ends the choice of where an NF is to move. */

import { useEffect } from "react";
import { isPlainKey } from "@/ui/keys";
import { LAYERS, type LayerKey } from "./layers";

interface Change {
  layer?: LayerKey;
  /** The end of the scale that was set belongs to the layer that is left. */
  max?: undefined;
  view?: "table" | undefined;
  pin?: undefined;
  /** Of a host's page: no NF is to move any more. */
  move?: undefined;
}

export function useLayerKeys(set: (change: Change) => void, view: "table" | undefined): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!isPlainKey(event)) return;
      const layer = LAYERS.find((each) => each.keys.includes(event.key));
      if (layer) set({ layer: layer.key, max: undefined });
      else if (event.key === "t") set({ view: view === "table" ? undefined : "table" });
      else if (event.key === "Escape") set({ pin: undefined, move: undefined });
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  });
}
