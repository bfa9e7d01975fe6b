/** Under the name of a host that is no machine: whose twin it is, and what its figures are worth. */

import { type ReactNode, useId, useState } from "react";
import type { HostView } from "@/api/types";
import { Mark } from "@/ui/marks";

/** "xeon-e5-2650-v4, 2 x 12 cores": the model's name says itself that it is simulated. */
export function twinOf({ inventory }: HostView): string {
  return inventory?.host_model.replace(" (simulated)", "") ?? "a machine that is not known yet";
}

export function SimulatedLine({ host }: { host: HostView }): ReactNode {
  const [open, setOpen] = useState(false);
  const id = useId();
  if (host.provenance !== "simulated") return null;
  return (
    <div className="simulated-line" data-testid="simulated-host">
      <p>
        <Mark origin="simulated" />
        <b className="strong">Simulated host</b>: the twin of {twinOf(host)}.{" "}
        <button type="button" className="link" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          {open ? "Close" : "What this means"}
        </button>
      </p>
      <div id={id} hidden={!open} className="t2">
        <p>
          No packet moves here. Its agent computes what such a machine would do with the NFs it was ordered to run: from
          published sizes and latencies of its caches, memory controllers and links, and from what each NF reads and
          writes for a packet. Orders, plans, operations and faults go the same way as on a machine.
        </p>
        <p>
          Its figures carry the diamond and are never added to measured ones. Counters come with the noise that real
          ones have. It knows nothing of threads that share a core, of turbo, of TLBs and of interrupts; a prediction
          that holds here is therefore not yet proved on the machine.
        </p>
      </div>
    </div>
  );
}
