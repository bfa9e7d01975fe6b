/** Ctrl-K: find a host, chain, NF, plan, operation or page, or do something, by typing part of its name. */

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { Autocomplete, Dialog, Input, Menu, MenuItem, Modal, ModalOverlay, SearchField } from "react-aria-components";
import { flushSync } from "react-dom";
import { nfTypesQuery, sessionQuery } from "@/api/queries";
import { live, useLive } from "@/live/store";
import { switchTheme } from "@/session/theme";
import { findEntries } from "./find";

/** `stage`: where it is drawn instead of over the page. */
export function FindPalette({ onClose, stage }: { onClose: () => void; stage?: HTMLElement }): ReactNode {
  const [query, setQuery] = useState("");
  const ready = useLive((state) => state.ready);
  const types = useQuery(nfTypesQuery).data?.items;
  const role = useQuery(sessionQuery).data?.role;
  // What there is when a key is pressed: names seldom change, and figures, which change ten times a second, are not found.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first snapshot brings the names
  const entries = useMemo(() => findEntries(query, live.getState(), types, role), [query, types, ready, role]);
  const router = useRouter();

  function go(id: string): void {
    const entry = entries.find((each) => each.id === id);
    onClose();
    if (entry?.does === "switch-theme") switchTheme();
    else if (entry?.outside) location.assign(entry.href);
    else if (entry) router.history.push(entry.href);
  }

  return (
    <ModalOverlay
      className="modal-ground"
      isOpen
      isDismissable
      onOpenChange={(open) => !open && onClose()}
      {...(stage ? { UNSTABLE_portalContainer: stage } : {})}
    >
      <Modal className="modal">
        <Dialog aria-label="Find or do">
          <Autocomplete inputValue={query} onInputChange={setQuery}>
            <SearchField aria-label="Find or do" autoFocus className="palette-field">
              <Input className="input" placeholder="Host, chain, NF type, NF, plan, page or action" />
            </SearchField>
            <Menu
              className="palette-list"
              aria-label="Results"
              items={entries}
              onAction={(key) => go(String(key))}
              renderEmptyState={() => <p className="empty">No match. Clear the text with Esc.</p>}
            >
              {(entry) => (
                <MenuItem id={entry.id} textValue={entry.text} className="option">
                  <span>
                    {entry.text} <span className="t3">{entry.note}</span>
                  </span>
                  <span className="t3">{entry.kind}</span>
                </MenuItem>
              )}
            </Menu>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

const OPEN_WINDOW = "[role=dialog], [role=alertdialog]";

/** Draws the palette once, outside of the page, when the browser has nothing else to do: what the first Ctrl-K takes
 * longer than the next ones is the browser compiling the scripts for it, and the names of NF types being fetched. */
export function Rehearsal(): ReactNode {
  const [stage, setStage] = useState<HTMLElement | null>(null);
  useEffect(() => {
    // Safari offers no idle times: there the first opening takes what it takes.
    if (!("requestIdleCallback" in globalThis)) return;
    const asked = requestIdleCallback(() => {
      if (document.querySelector(OPEN_WINDOW)) return;
      // A window hides the page and takes the focus. Drawn and gone at once, nobody sees it, and no input comes between.
      flushSync(() => setStage(document.createElement("div")));
      flushSync(() => setStage(null));
    });
    return () => cancelIdleCallback(asked);
  }, []);
  return stage && <FindPalette onClose={() => {}} stage={stage} />;
}
