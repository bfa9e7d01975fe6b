/** SharedWorker: browsers allow six HTTP/1.1 connections an origin over all tabs, so all tabs share one stream. */

import { openStream } from "./connection";
import { createHub, type PageMessage } from "./hub";

const hub = createHub((sink) => openStream("/api/v1/events", sink));

addEventListener("connect", (event) => {
  const port = (event as MessageEvent).ports[0];
  if (!port) return;
  port.onmessage = (message: MessageEvent<PageMessage>) => hub.receive(port, message.data);
});
