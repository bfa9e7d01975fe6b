/** A rule of a firewall in words. Pure. */

export interface Rule {
  readonly action: string;
  readonly protocol?: string;
  readonly src?: string;
  readonly dst?: string;
  readonly dst_port?: readonly [number, number];
}

/** "deny udp from 10.0.0.0/8 to port 53". */
export function ruleWords({ action, protocol, src, dst, dst_port: ports }: Rule): string {
  const [first, last] = ports ?? [];
  const port = first === last ? `to port ${first}` : `to ports ${first} – ${last}`;
  const words = [action, protocol ?? "all", src && `from ${src}`, dst && `to ${dst}`, ports && port];
  return words.filter(Boolean).join(" ");
}
