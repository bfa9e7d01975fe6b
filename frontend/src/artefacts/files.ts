/** What a file on this computer would be as an artefact: kind by its ending, name by its name. Pure. */

import type { FileKind } from "@/api/types";

export const KINDS: readonly { key: FileKind; text: string; note: string }[] = [
  { key: "patterns", text: "patterns", note: "text, for intrusion detection" },
  { key: "routes", text: "routes", note: "text, for routers" },
  { key: "rules", text: "rules", note: "text, for firewalls" },
  { key: "pcap", text: "pcap", note: "packet trace, link type Ethernet" },
];

/** The console reads no more of any kind; of most kinds it takes less, and says how much. */
export const MOST_BYTES = 64 * 2 ** 20;

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;
export const NAME_RULE = "letters, digits, dots, hyphens and underscores, at most 120, starting with a letter or digit";

export function isArtefactName(name: string): boolean {
  return NAME.test(name);
}

export function isFileKind(text: unknown): text is FileKind {
  return KINDS.some(({ key }) => key === text);
}

/** `web.patterns` holds patterns. */
export function kindByEnding(fileName: string): FileKind | null {
  const ending = fileName.slice(fileName.lastIndexOf(".") + 1).toLowerCase();
  return isFileKind(ending) ? ending : null;
}

/** The file's name with what an artefact's may not have replaced by hyphens. */
export function artefactName(fileName: string): string {
  const plain = fileName
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "");
  return plain.slice(0, 120) || "file";
}

/** The kind that a setting takes: `routes` for `routes_file`; null where it names no file. */
export function kindOfSetting(setting: string): FileKind | null {
  const stem = setting.endsWith("_file") ? setting.slice(0, -"_file".length) : setting === "pcap" ? "pcap" : "";
  return isFileKind(stem) ? stem : null;
}
