/** The draft survives a reload of this browser's tab. */

import { type Draft, EMPTY_DRAFT } from "./draft";

const KEY = "sextant-chain-draft";

export function loadDraft(): Draft {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
    return typeof stored === "object" && stored !== null ? { ...EMPTY_DRAFT, ...stored } : EMPTY_DRAFT;
  } catch {
    return EMPTY_DRAFT;
  }
}

export function saveDraft(draft: Draft): void {
  sessionStorage.setItem(KEY, JSON.stringify(draft));
}

export function forgetDraft(): void {
  sessionStorage.removeItem(KEY);
}
