/** The figure of a whole core, above the slots that share it: the same wherever the core is drawn. */
import { percent } from "@/lib/format";
import type { Layer } from "./layers";
import { coreUtilisation } from "./load-words";
import type { CoreModel, HostModel } from "./model";

/** In the quantity of the layer; empty where it says nothing of a core as a whole. */
export function coreFigure(layer: Layer, { core, busy, used }: CoreModel, { units }: HostModel): string {
  if (layer.key === "cpu") return busy === null ? "" : `${percent(busy)} %`;
  const utilised = layer.key === "utilisation" && used > 0 ? coreUtilisation(units, core.id) : null;
  return utilised ? `${utilised.sign}${percent(utilised.value)} %` : "";
}
