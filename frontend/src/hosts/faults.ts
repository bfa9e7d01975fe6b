/** Faults on demand: what the form holds, what it orders, and how active ones are said. Pure. */

import type { ActiveFault, Fault, HostView, NfView } from "@/api/types";
import { reservedText } from "@/capabilities/cores";
import { nfText } from "@/interference/causes";
import { timeLeft } from "@/lib/format";
import { numberReader, parseNumber } from "@/lib/numbers";

export type FaultKind = Fault["kind"];

export const FAULT_KINDS: readonly { readonly key: FaultKind; readonly text: string; readonly effect: string }[] = [
  {
    key: "nf-crash",
    text: "Crash an NF",
    effect: "Its process ends, together with all NFs that share the process. Its agent restarts it.",
  },
  {
    key: "nic-flap",
    text: "Flap a NIC",
    effect: "Its link is down: no packets arrive or leave during that time.",
  },
  {
    key: "host-down",
    text: "Host down",
    effect: "It loses power and stops reporting. After that time it returns to its desired state.",
  },
  {
    key: "noisy-neighbour",
    text: "Noisy neighbour",
    effect:
      "Programs that Sextant did not start use much of the cache or of the memory bandwidth, from cores without NFs.",
  },
];

/** As typed. */
export interface FaultDraft {
  readonly kind: FaultKind;
  readonly nf: string | null;
  readonly port: string | null;
  readonly resource: "cache" | "memory";
  readonly cores: string;
  readonly seconds: string;
}

/** The first NF, the first port, the first core without an NF. */
export function emptyDraft(host: HostView, nfs: readonly NfView[]): FaultDraft {
  const [core] = freeCores(host, nfs);
  return {
    kind: "nf-crash",
    nf: nfs[0]?.nf_id ?? null,
    port: host.inventory?.ports?.[0]?.name ?? null,
    resource: "cache",
    cores: core === undefined ? "" : String(core),
    seconds: "30",
  };
}

/** Cores that hold no NF and are not reserved. */
export function freeCores({ inventory }: HostView, nfs: readonly NfView[]): number[] {
  const taken = new Set(nfs.map(({ seat }) => seat.core));
  return (inventory?.cores ?? []).filter((core) => !taken.has(core.id) && !core.reserved_for).map(({ id }) => id);
}

/** The order, or what is missing for it, by field. */
export function faultOf(draft: FaultDraft, host: HostView, nfs: readonly NfView[]): Fault | Map<string, string> {
  const wrong = new Map<string, string>();
  const say = (field: string, message: string) => wrong.set(field, message);
  const seconds = () => numberReader(say)("seconds", draft.seconds, { least: 0.1, most: 3600 });
  const order = (): Fault | null => {
    switch (draft.kind) {
      case "nf-crash":
        if (!draft.nf) say("nf", "no NF runs here");
        return draft.nf ? { kind: draft.kind, nf_id: draft.nf } : null;
      case "nic-flap":
        if (!draft.port) say("port", "this host has no ports");
        return { kind: draft.kind, port: draft.port ?? "", seconds: seconds() };
      case "host-down":
        return { kind: draft.kind, seconds: seconds() };
      case "noisy-neighbour":
        return {
          kind: draft.kind,
          resource: draft.resource,
          cores: coresOf(draft, host, nfs, say),
          seconds: seconds(),
        };
    }
  };
  const fault = order();
  return fault && wrong.size === 0 ? fault : wrong;
}

function coresOf(
  { cores: text }: FaultDraft,
  host: HostView,
  nfs: readonly NfView[],
  say: (field: string, message: string) => void,
): number[] {
  const cores = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(parseNumber);
  const wrong = cores.map((core) => whyNotCore(core, host, nfs)).find((why) => why !== null);
  if (cores.length === 0) say("cores", "name at least one core");
  else if (wrong !== undefined) say("cores", wrong);
  else if (new Set(cores).size < cores.length) say("cores", "each core once");
  return cores.flatMap((core) => core ?? []);
}

/** Null where programs of a noisy neighbour may run on the core. */
function whyNotCore(id: number | null, { host_id, inventory }: HostView, nfs: readonly NfView[]): string | null {
  if (id === null) return "numbers of cores, separated by commas";
  const core = inventory?.cores?.find((each) => each.id === id);
  if (!core) return `${host_id} has no core ${id}`;
  if (core.reserved_for) return `core ${id} is ${reservedText(core.reserved_for)}`;
  const nf = nfs.find(({ seat }) => seat.core === id);
  return nf ? `${nfText(nf.nf_id)} runs on core ${id}` : null;
}

/** "nids of dmz-in crashed". */
export function faultText(fault: Fault): string {
  switch (fault.kind) {
    case "nf-crash":
      return `${nfText(fault.nf_id)} crashed`;
    case "nic-flap":
      return `${fault.port} has no link`;
    case "host-down":
      return "the host has no power";
    case "noisy-neighbour":
      return `programs on ${fault.cores.length === 1 ? "core" : "cores"} ${fault.cores.join(", ")} load the ${fault.resource}`;
  }
}

/** "12 s left", "until it is restarted", "over". */
export function faultLeft({ until }: ActiveFault, now: number): string {
  if (until === null) return "until it is restarted";
  const left = timeLeft(until, now);
  return left === null ? "over" : `${left} left`;
}
