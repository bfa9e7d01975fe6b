/** Alerts as command lines. */

import { shellWord } from "./shell-word";

export const alertsCli = {
  alerts: () => "sextant alerts",
  acknowledgeAlert: (id: number, note: string) =>
    `sextant alerts ack ${id}${note === "" ? "" : ` --note ${shellWord(note)}`}`,
  silenceAlert: (kind: string, objectKind: string, name: string, hours: number, why: string) =>
    `sextant alerts silence --kind ${kind} --object-kind ${objectKind} --object ${shellWord(name)} --for ${hours}h --reason ${shellWord(why)}`,
  endSilence: (id: number) => `sextant alerts unsilence ${id}`,
  alertRules: () => "sextant alerts rules",
  setAlertRule: (kind: string, options: string) => `sextant alerts set-rule ${kind}${options}`,
} as const;
