/** CPU time of an NF, or that nobody measures it: of one in the kernel, which is no process. */

import type { ReactNode } from "react";
import { DASH, percent } from "@/lib/format";

type Measured = { readonly nf_id: string; readonly cpu_percent?: number | null } | null | undefined;

const NOT_MEASURED = "not measured";
const WHY = "The kernel works on its packets where they come: how much of a core that takes is not measured";

/** "41" in percent, or "not measured"; a dash without a sample, of which nobody knows why. */
export function cpuFigure(sample: Measured): string {
  return sample && sample.cpu_percent == null ? NOT_MEASURED : percent(sample?.cpu_percent);
}

/** "CPU 41 %", or "CPU not measured". */
export function cpuText(sample: Measured): string {
  const found = cpuFigure(sample);
  return found === NOT_MEASURED ? `CPU ${found}` : `CPU ${found} %`;
}

/** The figure of a column of percents. */
export function CpuFigure({ sample }: { sample: Measured }): ReactNode {
  const found = cpuFigure(sample);
  if (found !== NOT_MEASURED) return found;
  return (
    <span className="t3" title={WHY}>
      <span aria-hidden="true">{DASH}</span>
      <span className="hidden-text">{NOT_MEASURED}</span>
    </span>
  );
}
