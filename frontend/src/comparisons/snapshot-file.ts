/** A fleet's snapshot from a file: what it holds, before it is sent. The console judges it; here is only a look. Pure. */

/** The console refuses larger bodies. */
export const MAX_BYTES = 64 * 2 ** 20;

export interface SnapshotFile {
  readonly name: string;
  readonly bytes: number;
  readonly hosts: number;
  readonly chains: number;
  readonly nfs: number;
  readonly takenAt: string | null;
  /** Chains that stand on no host: what can be placed. */
  readonly unplaced: readonly string[];
  readonly value: object;
}

export function readSnapshotFile(name: string, bytes: number, text: string): SnapshotFile | { error: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    return { error: `${name} is not JSON: ${cause instanceof Error ? cause.message : String(cause)}` };
  }
  const hosts = listOf(value, "hosts");
  const chains = listOf(value, "chains");
  if (!isRecord(value) || hosts === null || chains === null) {
    return { error: `${name} is not a fleet snapshot: it has no lists "hosts" and "chains". ${HOW}` };
  }
  const placed = new Set(hosts.flatMap((host) => listOf(field(host, "content"), "chains") ?? []).map(chainName));
  return {
    name,
    bytes,
    hosts: hosts.length,
    chains: chains.length,
    nfs: chains.reduce<number>((sum, chain) => sum + (listOf(chain, "nfs")?.length ?? 0), 0),
    takenAt: textOf(field(value, "taken_at")),
    unplaced: chains.flatMap((chain) => textOf(field(chain, "name")) ?? []).filter((chain) => !placed.has(chain)),
    value,
  };
}

export const HOW = "Make one with: sextant fleet snapshot > fleet.json";

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function field(value: unknown, key: string): unknown {
  return isRecord(value) ? value[key] : undefined;
}

function listOf(value: unknown, key: string): unknown[] | null {
  const found = field(value, key);
  return Array.isArray(found) ? found : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function chainName(chain: unknown): string {
  return textOf(field(chain, "chain")) ?? "";
}
