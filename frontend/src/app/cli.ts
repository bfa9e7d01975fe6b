/** The same actions as command lines: every action offers "Copy as CLI". */

export const cli = {
  migrate: (nfId: string, core: number | string) => `sextant migrate ${nfId} --core ${core}`,
  applyPlan: (id: number) => `sextant plans apply ${id}`,
  showPlan: (id: number) => `sextant plans show ${id}`,
  deleteChain: (name: string) => `sextant chains delete ${name}`,
  showChain: (name: string) => `sextant chains show ${name}`,
  submitChain: (file: string) => `sextant chains submit ${file}`,
  watchOperation: (id: number) => `sextant operations watch ${id}`,
  operation: (action: string, id: number) => `sextant operations ${action} ${id}`,
} as const;
