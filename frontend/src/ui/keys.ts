/** Keys of the whole page. */

/** True for a single key pressed outside of text, so that typing never triggers a shortcut. */
export function isPlainKey(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return false;
  const target = event.target instanceof HTMLElement ? event.target : null;
  return !target?.closest(
    "input, textarea, select, [contenteditable], [role=dialog], [role=alertdialog], [role=listbox]",
  );
}
