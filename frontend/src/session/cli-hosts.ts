/** Hosts as command lines. */

import type { Fault } from "@/api/types";
import { shellWord } from "./shell-word";

export const hostsCli = {
  showHost: (host: string) => `sextant hosts ${host}`,
  enrolHost: (host: string) => `sextant hosts enrol ${host}`,
  revokeHost: (host: string, why: string) => `sextant hosts revoke ${host} --reason ${shellWord(why)}`,
  cordonHost: (host: string, why: string) => `sextant hosts cordon ${host} --reason ${shellWord(why)}`,
  uncordonHost: (host: string) => `sextant hosts uncordon ${host}`,
  reserveCores: (host: string, cores: string, why: string) =>
    `sextant hosts reserve ${host} --cores ${cores} --reason ${shellWord(why)}`,
  unreserveCores: (host: string, cores: string) => `sextant hosts unreserve ${host} --cores ${cores}`,
  setCoreSlots: (host: string, slots: number | null, why: string) =>
    slots === null
      ? `sextant hosts slots ${host} default`
      : `sextant hosts slots ${host} ${slots} --reason ${shellWord(why)}`,
  drift: (host: string) => `sextant hosts drift ${host}`,
  repairDrift: (host: string) => `sextant hosts repair ${host}`,
  acceptDrift: (host: string) => `sextant hosts accept ${host}`,
  renumberHost: (host: string) => `sextant hosts renumber ${host}`,
  removeHost: (host: string) => `sextant hosts remove ${host}`,
  hostInterference: (host: string) => `sextant hosts interference ${host}`,
  fault: (host: string, fault: Fault) => `sextant hosts fault ${faultArguments(host, fault)}`,
} as const;

function faultArguments(host: string, fault: Fault): string {
  switch (fault.kind) {
    case "nf-crash":
      return `crash ${host} ${fault.nf_id}`;
    case "nic-flap":
      return `nic ${host} --port ${fault.port} --seconds ${fault.seconds}`;
    case "host-down":
      return `down ${host} --seconds ${fault.seconds}`;
    case "noisy-neighbour": {
      const cores = fault.cores.map((core) => ` --core ${core}`).join("");
      return `noise ${host}${cores} --resource ${fault.resource} --seconds ${fault.seconds}`;
    }
  }
}
