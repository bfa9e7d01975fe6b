/** Where alerts are sent, as command lines. */

import { shellWord } from "./shell-word";

export const notificationsCli = {
  channels: () => "sextant notifications channels",
  deliveries: () => "sextant notifications deliveries",
  addWebhook: (name: string, url: string, least: string) =>
    `sextant notifications add-webhook ${shellWord(name)} ${shellWord(url)} --least-severity ${least}`,
  testChannel: (name: string) => `sextant notifications test ${name}`,
  removeChannel: (name: string) => `sextant notifications remove ${name}`,
  allowNetworks: () => "sextant notifications allow 10.20.0.0/16",
} as const;
