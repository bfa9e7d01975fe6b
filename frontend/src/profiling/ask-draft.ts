/** The form of a profiling job: its texts, and the ask they stand for or what is wrong; names are those of the API. Pure. */

import { DEFAULT_ASK, lineRate } from "@/api/defaults";
import type { FieldError, HostView, ProfilingAsk } from "@/api/types";
import type { Choice } from "@/ui/select";

export interface AskDraft {
  readonly nfType: string;
  readonly host: string;
  readonly packetBytes: string;
  /** Null: nobody has named a number; as many as usual, or as the host can play. */
  readonly flows: string | null;
  /** Empty: as fast as each competitor can. */
  readonly rate: string;
  /** Nobody has named one: it is the line's, by the size of packets. */
  readonly atLineRate: boolean;
  /** Empty: chosen by the engine. */
  readonly competitors: readonly string[];
  /** Empty: as many as there are cores for. */
  readonly mostCompetitors: string;
  readonly seconds: string;
  readonly halfWidth: string;
  readonly maxSamples: string;
  readonly fresh: boolean;
}

export const MOST_COMPETITORS = 15;
const MOST_MPPS = 1000;

export function emptyAsk(nfType: string, host: string): AskDraft {
  return {
    nfType,
    host,
    packetBytes: String(DEFAULT_ASK.packet_bytes),
    flows: null,
    rate: String(DEFAULT_ASK.rate_mpps),
    atLineRate: true,
    competitors: [],
    mostCompetitors: "",
    seconds: String(DEFAULT_ASK.seconds),
    halfWidth: String(DEFAULT_ASK.half_width_percent),
    maxSamples: String(DEFAULT_ASK.max_samples),
    fresh: false,
  };
}

/** Packets of another size. A rate that was that of the line follows; one that somebody named stays. */
export function withPackets(draft: AskDraft, packetBytes: string): Pick<AskDraft, "packetBytes" | "rate"> {
  const size = Number(packetBytes);
  return { packetBytes, rate: draft.atLineRate && size >= 64 ? String(lineRate(size)) : draft.rate };
}

/** The flows that a field shows: those that were named, else as many as usual or as a host can play (null: any number). */
export function flowsOf(draft: AskDraft, mostFlows: number | null): string {
  return draft.flows ?? String(Math.min(DEFAULT_ASK.flows, mostFlows ?? DEFAULT_ASK.flows));
}

/** The ask, or null with what is wrong beside each field. `mostFlows`: as many as the host can play, null: any number. */
export function readAsk(
  draft: AskDraft,
  mostFlows: number | null = null,
): { ask: ProfilingAsk | null; errors: readonly FieldError[] } {
  const errors: FieldError[] = [];
  const wrong = (field: string, message: string) => errors.push({ field, message });
  const number = (field: string, text: string, low: number, high: number, whole: boolean) => {
    const value = Number(text.trim().replace(",", "."));
    const fits = text.trim() !== "" && value >= low && value <= high && (!whole || Number.isInteger(value));
    if (!fits) wrong(field, `${whole ? "a whole number, " : ""}${low} to ${high}`);
    return value;
  };
  if (draft.nfType === "") wrong("nf_type", "choose an NF type");
  if (draft.host === "") wrong("host", "choose a host; results hold for all hosts of its model");
  if (draft.competitors.length > MOST_COMPETITORS) wrong("competitors", `at most ${MOST_COMPETITORS} types`);
  const unlimited = draft.rate.trim() === "";
  const rate = unlimited ? null : number("rate_mpps", draft.rate, 0, MOST_MPPS, false);
  if (rate === 0) wrong("rate_mpps", "above 0; empty: as fast as each can");
  const most = draft.mostCompetitors.trim();
  const ask: ProfilingAsk = {
    nf_type: draft.nfType,
    host: draft.host,
    packet_bytes: number("packet_bytes", draft.packetBytes, 64, 1518, true),
    flows: number("flows", flowsOf(draft, mostFlows), 1, mostFlows ?? 1_000_000, true),
    rate_mpps: rate,
    competitors: [...draft.competitors],
    most_competitors: most === "" ? null : number("most_competitors", most, 0, MOST_COMPETITORS, true),
    seconds: number("seconds", draft.seconds, 0.05, 60, false),
    half_width_percent: number("half_width_percent", draft.halfWidth, 0.05, 50, false),
    max_samples: number("max_samples", draft.maxSamples, 3, 100, true),
    seed: DEFAULT_ASK.seed,
    fresh: draft.fresh,
  };
  return { ask: errors.length === 0 ? ask : null, errors };
}

/** The message of a field; `competitors.2` is one of `competitors`. */
export function messageOf(errors: readonly FieldError[], field: string): string | undefined {
  const own = errors.filter((error) => error.field === field || error.field.startsWith(`${field}.`));
  return own.length > 0 ? own.map(({ message }) => message).join(" ") : undefined;
}

/** Why a host cannot profile, or what else its agent may be able to do; null where it can. */
export function whyNot(
  host: Pick<HostView, "status" | "status_reason" | "inventory">,
  ability = "profiling",
): string | null {
  if (host.status !== "up") return `${host.status}: ${host.status_reason}`;
  const capability = host.inventory?.capabilities.find(({ name }) => name === ability);
  if (!capability) return "its agent does not offer profiling";
  return capability.available ? null : capability.reason;
}

/** Hosts that can profile, then the others, each with the reason. */
export function hostChoices(hosts: Iterable<HostView>, ability = "profiling"): Choice[] {
  const all = [...hosts].map((host) => ({ host, reason: whyNot(host, ability) }));
  all.sort(
    (a, b) => Number(a.reason !== null) - Number(b.reason !== null) || (a.host.host_id < b.host.host_id ? -1 : 1),
  );
  return all.map(({ host, reason }) => ({
    key: host.host_id,
    text: host.host_id,
    note: reason ?? host.inventory?.host_model ?? "",
    disabled: reason !== null,
  }));
}
