/** The draft survives a reload of this browser's tab, its secrets do not. */

import { type Draft, EMPTY_DRAFT, withoutSecrets } from "./draft";

const KEY = "sextant-chain-draft";

export function loadDraft(): Draft {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    return typeof stored === "object" && stored !== null ? completed(stored) : EMPTY_DRAFT;
  } catch {
    return EMPTY_DRAFT;
  }
}

/** One that an older page stored lacks fields that came since. */
function completed(stored: Partial<Draft>): Draft {
  const nfs = (stored.nfs ?? []).map((nf) => ({ ...nf, cpuShare: nf.cpuShare ?? "", cpuQuota: nf.cpuQuota ?? "" }));
  return { ...EMPTY_DRAFT, ...stored, nfs };
}

export function saveDraft(draft: Draft): void {
  sessionStorage.setItem(KEY, JSON.stringify(withoutSecrets(draft)));
}

export function forgetDraft(): void {
  sessionStorage.removeItem(KEY);
}
