/** Shares as command lines. */

export const sharesCli = {
  measureShares: (nfType: string, host: string) => `sextant shares measure ${nfType} --host ${host}`,
  showShares: (id: number) => `sextant shares show ${id}`,
} as const;
