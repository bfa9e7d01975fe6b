/** Prefixes of IPv4 and IPv6 as the API takes them for a chain's match; IPv6 in canonical form (RFC 5952). Pure. */

export interface Prefix {
  readonly version: 4 | 6;
  /** As it is sent. */
  readonly text: string;
}

export const PREFIX_NEEDED = "a prefix is needed, such as 192.168.0.0/16 or 2001:db8::/32";
const UNICAST = "all global unicast addresses are 2000::/3, all unique local ones fc00::/7";
/** IPv6 ranges of which no match may have an address, with the reason: those of the domain. */
const NO_UNICAST: readonly (readonly [string, number, string])[] = [
  ["::ffff:0:0", 96, "IPv4-mapped: write the IPv4 prefix"],
  ["::", 96, "unspecified, loopback or IPv4-compatible"],
  ["fe80::", 10, "link-local"],
  ["ff00::", 8, "multicast"],
];

/** The prefix, or what is wrong with it. */
export function readPrefix(text: string): Prefix | string {
  const [address = "", length = "", ...more] = text.trim().split("/");
  if (more.length > 0 || !/^\d{1,3}$/.test(length)) return PREFIX_NEEDED;
  const version = address.includes(":") ? 6 : 4;
  const bits = version === 6 ? bitsOf6(address) : bitsOf4(address);
  const width = version === 6 ? 128 : 32;
  if (bits === null || Number(length) > width) return PREFIX_NEEDED;
  const write = version === 6 ? written6 : written4;
  const network = masked(bits, Number(length), width);
  const canonical = `${write(network)}/${Number(length)}`;
  if (network !== bits) return `bits are set behind its length; write ${canonical}`;
  return (version === 6 ? whyNoUnicast(network, Number(length)) : null) ?? { version, text: canonical };
}

function masked(bits: bigint, length: number, width: number): bigint {
  const host = BigInt(width - length);
  return (bits >> host) << host;
}

function bitsOf4(address: string): bigint | null {
  const parts = address.split(".");
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)) return null;
  return parts.reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);
}

function written4(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join(".");
}

/** The URL standard's parser reads an address in every form, and writes it in the canonical one. */
function canonical6(address: string): string | null {
  if (!/^[\da-f:.]{2,45}$/i.test(address)) return null;
  try {
    return new URL(`http://[${address}]/`).hostname.slice(1, -1);
  } catch {
    return null;
  }
}

function bitsOf6(address: string): bigint | null {
  const canonical = canonical6(address);
  if (canonical === null) return null;
  const [head = "", tail = ""] = canonical.split("::");
  const before = head.split(":").filter(Boolean);
  const behind = tail.split(":").filter(Boolean);
  const zeros = Array.from({ length: 8 - before.length - behind.length }, () => "0");
  return [...before, ...zeros, ...behind].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
}

function written6(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, at) => ((bits >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));
  return canonical6(groups.join(":")) ?? "";
}

function whyNoUnicast(network: bigint, length: number): string | null {
  for (const [start, range, why] of NO_UNICAST) {
    const common = Math.min(length, range);
    if (masked(network, common, 128) !== masked(bitsOf6(start) ?? 0n, common, 128)) continue;
    return length >= range
      ? `its addresses are ${why}`
      : `too wide, since ${start}/${range} in it is not unicast; ${UNICAST}`;
  }
  return null;
}
