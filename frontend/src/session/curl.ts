/** A request of the API as a command line of a POSIX shell. */

import type { paths } from "@/api/schema.gen";
import { shellWord } from "./shell-word";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Value = string | number | boolean;

export interface Request {
  /** What stands in the path's fields. */
  readonly path?: Readonly<Record<string, Value>>;
  /** What is null or absent is left out. */
  readonly query?: Readonly<Record<string, Value | null | undefined>>;
  readonly body?: unknown;
  /** `present`: reads the ETag first, as the console does where it has not seen the thing itself. */
  readonly ifMatch?: { tag: string } | { present: keyof paths };
}

/** The token is never in it: whoever runs it has one in SEXTANT_TOKEN (`sextant tokens create`). */
const TOKEN = '-H "Authorization: Bearer $SEXTANT_TOKEN"';

export function curl(method: Method, path: keyof paths, request: Request = {}): string {
  const address = location.origin + filled(path, request.path) + queryText(request.query);
  const parts = ["curl -sS --fail-with-body"];
  if (method !== "GET") parts.push(`-X ${method}`);
  parts.push(TOKEN);
  if (request.ifMatch) parts.push(`-H ${tagHeader(request.ifMatch, request.path)}`);
  if (request.body !== undefined) {
    parts.push("-H 'Content-Type: application/json'", `--data-raw ${shellWord(JSON.stringify(request.body))}`);
  }
  return [...parts, shellWord(address)].join(" ");
}

function tagHeader(wanted: NonNullable<Request["ifMatch"]>, fields: Request["path"]): string {
  if ("tag" in wanted) return shellWord(`If-Match: ${wanted.tag}`);
  const address = shellWord(location.origin + filled(wanted.present, fields));
  return `"If-Match: $(curl -sS -o /dev/null -D - ${TOKEN} ${address} | tr -d '\\r' | sed -n 's/^[Ee][Tt][Aa][Gg]: //p')"`;
}

function filled(path: string, fields: Request["path"] = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(fields[name] as Value));
}

function queryText(query: Request["query"] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value == null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  return given.length === 0 ? "" : `?${given.join("&")}`;
}
