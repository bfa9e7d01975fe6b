/** Studies as command lines. */

export const studiesCli = {
  runStudy: (file: string) => `sextant studies run ${file} --wait`,
  studies: () => "sextant studies list",
  showStudy: (id: number) => `sextant studies show ${id}`,
  repeatStudy: (id: number) => `sextant studies repeat ${id} --wait`,
  cancelStudy: (id: number) => `sextant studies cancel ${id}`,
  removeStudy: (id: number) => `sextant studies remove ${id}`,
} as const;
