/** Reads text/event-stream. EventSource hides comment lines, and they are the heartbeat, so we read the bytes. */

export interface SseMessage {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

export interface SseParser {
  /** Takes the next piece of the stream and returns the messages it completed. */
  push(text: string): SseMessage[];
}

/** A parser with its own buffer; pieces may end anywhere, even inside a line. */
export function sseParser(): SseParser {
  let buffer = "";
  let id: string | null = null;
  let event = "";
  let data: string[] = [];

  function take(line: string): SseMessage | null {
    if (line === "") {
      const message = data.length > 0 ? { id, event: event || "message", data: data.join("\n") } : null;
      event = "";
      data = [];
      return message;
    }
    if (line.startsWith(":")) return null;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "event") event = value;
    else if (field === "id" && !value.includes("\0")) id = value;
    return null;
  }

  return {
    push(text) {
      const lines = (buffer + text).split("\n");
      buffer = lines.pop() ?? "";
      return lines.map((line) => take(line.replace(/\r$/, ""))).filter((message) => message !== null);
    },
  };
}
