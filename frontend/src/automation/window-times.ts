/** From when until when a maintenance window is asked for. Pure. */

export const LENGTHS = [
  { key: "1", text: "1 h" },
  { key: "2", text: "2 h" },
  { key: "4", text: "4 h" },
  { key: "8", text: "8 h" },
  { key: "24", text: "1 day" },
] as const;

export type Length = (typeof LENGTHS)[number]["key"];

export interface WindowTimes {
  /** Null: it begins now. */
  readonly startsAt: string | null;
  readonly endsAt: string;
}

/** `from`: as a field of local date and time has it; empty: now. Null where it cannot be read. */
export function timesOf(from: string, hours: Length, now: number): WindowTimes | null {
  const start = from === "" ? now : new Date(from).getTime();
  if (Number.isNaN(start)) return null;
  const end = new Date(start + Number(hours) * 3_600_000);
  return { startsAt: from === "" ? null : new Date(start).toISOString(), endsAt: end.toISOString() };
}
