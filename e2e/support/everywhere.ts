/** Where a secret could turn up in an installation: answers, the stream, files, processes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { installation, processesOf, ROOT } from "./installation.ts";

/** `[path, text]` of every GET of the contract but the stream, with ids of things that are there. */
export async function everyAnswer(names: Record<string, string>): Promise<[string, string][]> {
  const { url, token } = installation();
  const { paths } = JSON.parse(readFileSync(join(ROOT, "docs/openapi.json"), "utf8")) as {
    paths: Record<string, object>;
  };
  const asked = Object.entries(paths)
    .filter(([path, methods]) => "get" in methods && !path.endsWith("/events"))
    .map(([path]) => path.replace(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "1"));
  const answers: [string, string][] = [];
  for (const path of asked) {
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
    answers.push([path, `${answer.status} ${[...answer.headers].join()} ${await answer.text()}`]);
  }
  return answers;
}

/** What the event stream says until `text` is in it. */
export async function streamUntil(text: string): Promise<string> {
  const { url, token } = installation();
  const headers = { authorization: `Bearer ${token}` };
  const ending = new AbortController();
  const stream = await fetch(`${url}/api/v1/events`, {
    headers,
    signal: AbortSignal.any([ending.signal, AbortSignal.timeout(20_000)]),
  });
  let received = "";
  for await (const part of stream.body as ReadableStream<Uint8Array>) {
    received += Buffer.from(part).toString();
    if (received.includes(text)) break;
  }
  ending.abort();
  return received;
}

/** Files of the data folder that hold one of the texts: database, write-ahead log, queue, logs, ledgers. */
export function filesWith(texts: string[]): string[] {
  const { data } = installation();
  return readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => {
      const content = contentOf(path);
      return texts.some((text) => content.includes(text));
    })
    .map((path) => path.slice(data.length + 1));
}

/** Processes of the installation whose command line or environment holds one of the texts. */
export function processesWith(texts: string[]): string[] {
  return processesOf(installation().id).flatMap(({ pid, program }) =>
    ["cmdline", "environ"]
      .filter((file) => texts.some((text) => contentOf(`/proc/${pid}/${file}`).includes(text)))
      .map((file) => `${file} of ${program}`),
  );
}

/** Nothing where the file went meanwhile: a server's temporary one. */
function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.of();
  }
}
