/** OpenNetVM's files as command lines. */

export const opennetvmCli = {
  importChains: (files: readonly string[]) =>
    `sextant chains import ${files.map((file, at) => (at === 0 ? file : `--with ${file}`)).join(" ")}`,
  hostStartCommands: (host: string) => `sextant hosts start-commands ${host} --save ${host}`,
  planStartCommands: (id: number, host: string) =>
    `sextant plans start-commands ${id} --host ${host} --save plan-${id}-${host}`,
} as const;
