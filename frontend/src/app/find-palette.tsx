/** Ctrl-K: find a host, chain, NF, plan, operation or page, or do something, by typing part of its name. The window is our
 * own and not the library's, which costs most where a page is long (docs/decisions/0139-the-palette.md). */

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useDeferredValue,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { createPortal, flushSync } from "react-dom";
import { nfTypesQuery, sessionQuery } from "@/api/queries";
import { live, useLive } from "@/live/store";
import { switchTheme } from "@/session/theme";
import { type Found, findEntries } from "./find";

/** Enter opens nothing before something is typed or an arrow pressed. */
const NONE = -1;

/** What is done here and not on a page. */
export type Doing = Readonly<Record<"show-keys" | "sign-out", () => void>>;

/** `stage`: where it is drawn instead of over the page. */
export function FindPalette(props: { onClose: () => void; doing: Doing; stage?: HTMLElement }): ReactNode {
  const { onClose, doing, stage } = props;
  const [query, setQuery] = useState("");
  const [chosen, choose] = useState(NONE);
  const find = useFind();
  // What is typed is there with the next frame; what it finds follows.
  const asked = useDeferredValue(query);
  const entries = useMemo(() => find(asked), [find, asked]);
  const at = Math.min(chosen, entries.length - 1);
  const list = useId();
  const go = useGo(onClose, doing);
  const type = (text: string) => {
    setQuery(text);
    choose(text.trim() === "" ? NONE : 0);
  };

  function press(event: KeyboardEvent): void {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") query === "" ? onClose() : type("");
    else if (event.key === "ArrowDown") choose(at + 1 < entries.length ? at + 1 : 0);
    else if (event.key === "ArrowUp") choose(at > 0 ? at - 1 : entries.length - 1);
    else if (event.key === "Enter") go(asked === query ? entries[at] : find(query)[chosen]);
    // Nothing else of the window takes the focus: Tab leads nowhere.
    else if (event.key !== "Tab") return;
    event.preventDefault();
    event.stopPropagation();
  }

  return createPortal(
    <Ground onClose={onClose}>
      <div className="palette-field">
        <input
          className="input"
          type="search"
          aria-label="Find or do"
          placeholder="Host, chain, NF type, NF, plan, page or action"
          autoComplete="off"
          spellCheck={false}
          aria-autocomplete="list"
          aria-controls={list}
          aria-activedescendant={at >= 0 ? `${list}-${at}` : undefined}
          value={query}
          onChange={(event) => type(event.target.value)}
          onKeyDown={press}
        />
      </div>
      <Results id={list} entries={entries} at={at} onPoint={choose} onGo={go} />
    </Ground>,
    stage ?? document.body,
  );
}

/** The window and the ground behind it: the field has the focus until it closes, and then what had it before. */
function Ground({ onClose, children }: { onClose: () => void; children: ReactNode }): ReactNode {
  const ground = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const before = document.activeElement;
    ground.current?.querySelector("input")?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true });
    };
  }, []);
  useEffect(() => {
    const element = ground.current;
    const still = (event: WheelEvent) => {
      if (!(event.target as Element).closest(".palette-list")) event.preventDefault();
    };
    // A press leaves the focus in the field, and beside the window it closes it.
    const down = (event: MouseEvent) => {
      if (event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      if (event.target === element) onClose();
    };
    element?.addEventListener("wheel", still, { passive: false });
    element?.addEventListener("mousedown", down);
    return () => {
      element?.removeEventListener("wheel", still);
      element?.removeEventListener("mousedown", down);
    };
  }, [onClose]);
  return (
    // The library's windows let the focus leave them for what is marked so.
    <div className="modal-ground" data-react-aria-top-layer ref={ground}>
      <div className="modal">
        <section role="dialog" aria-modal="true" aria-label="Find or do">
          {children}
        </section>
      </div>
    </div>
  );
}

function Results(props: {
  id: string;
  entries: readonly Found[];
  /** Which is chosen; -1: none. */
  at: number;
  onPoint: (at: number) => void;
  onGo: (entry: Found) => void;
}): ReactNode {
  const { id, entries, at, onPoint, onGo } = props;
  const chosen = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another element with each of them
  useEffect(() => {
    chosen.current?.scrollIntoView({ block: "nearest" });
  }, [at]);
  if (entries.length === 0) {
    return (
      <p className="empty" role="status">
        No match. Clear the text with Esc.
      </p>
    );
  }
  return (
    <div className="palette-list" role="menu" aria-label="Results" id={id}>
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its Enter does the same
        <div
          key={entry.id}
          id={`${id}-${index}`}
          className="option"
          role="menuitem"
          tabIndex={-1}
          ref={index === at ? chosen : undefined}
          data-focused={index === at || undefined}
          onPointerMove={() => index !== at && onPoint(index)}
          onClick={() => onGo(entry)}
        >
          <span>
            {entry.text} <span className="t3">{entry.note}</span>
          </span>
          <span className="t3">{entry.kind}</span>
        </div>
      ))}
    </div>
  );
}

/** What a text finds among what there is by now: names seldom change, and figures, which change ten times a second, are
 * not found. */
function useFind(): (text: string) => readonly Found[] {
  const ready = useLive((state) => state.ready);
  const types = useQuery(nfTypesQuery).data?.items;
  const role = useQuery(sessionQuery).data?.role;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first snapshot brings the names
  return useCallback((text) => findEntries(text, live.getState(), types, role), [types, ready, role]);
}

function useGo(onClose: () => void, doing: Doing): (entry: Found | undefined) => void {
  const router = useRouter();
  return (entry) => {
    if (!entry) return;
    onClose();
    if (entry.does === "switch-theme") switchTheme();
    else if (entry.does) doing[entry.does]();
    else if (entry.outside) location.assign(entry.href);
    else router.history.push(entry.href);
  };
}

const NOTHING: Doing = { "show-keys": () => {}, "sign-out": () => {} };
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
      // A window takes the focus. Drawn and gone at once, nobody sees it, and no input comes between.
      flushSync(() => setStage(document.createElement("div")));
      flushSync(() => setStage(null));
    });
    return () => cancelIdleCallback(asked);
  }, []);
  return stage && <FindPalette onClose={() => {}} doing={NOTHING} stage={stage} />;
}
