import { Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';

const load = () => import('./search.tsx');
const SearchDialog = lazy(load);

const opening = 'ledger-ops:search';

/** Opens the search, regardless of where its dialog is mounted. */
function openSearch(): void {
  dispatchEvent(new Event(opening));
}

/**
 * Mounts the search: opened by a button, by Ctrl+K or ⌘K, and by / outside of fields. Text that is typed
 * while the dialog loads is inserted into its field.
 */
export function SearchMount() {
  const [isOpen, setOpen] = useState(false);
  /** The text typed so far while the dialog loads; undefined if the search is closed. */
  const typed = useRef<string>(undefined);
  useEffect(() => {
    void load();
    const open = () => {
      typed.current ??= '';
      setOpen(true);
    };
    const onKey = (event: KeyboardEvent) => {
      const isCommand =
        event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey;
      const isText =
        event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && !isTyping(event);
      if (!isCommand && isText && typed.current !== undefined) {
        event.preventDefault();
        typed.current += event.key;
        return;
      }
      if (!isCommand && !(isText && event.key === '/')) return;
      event.preventDefault();
      open();
    };
    addEventListener('keydown', onKey);
    addEventListener(opening, open);
    return () => {
      removeEventListener('keydown', onKey);
      removeEventListener(opening, open);
    };
  }, []);
  const close = () => {
    typed.current = undefined;
    setOpen(false);
  };
  return <Suspense>{isOpen ? <SearchDialog typed={typed} close={close} /> : null}</Suspense>;
}

/** Whether the key belongs to a field, or to an open dialog. */
function isTyping({ target }: KeyboardEvent): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.closest('input, textarea, select, [role=dialog]') !== null)
  );
}

/** The search button in the sidebar. */
export function SearchButton() {
  return (
    <button
      type="button"
      onClick={openSearch}
      aria-keyshortcuts="/ Control+K Meta+K"
      className="flex min-h-10 w-full items-center gap-2.5 rounded-lg border border-line bg-surface px-3 text-sm text-ink-2 hover:bg-sunken hover:text-ink"
    >
      <Search aria-hidden="true" className="size-4" />
      Search
      <kbd className="ml-auto rounded border border-line font-sans px-1.5 text-xs">/</kbd>
    </button>
  );
}

/** The search button in the bar of narrow screens. */
export function SearchIcon() {
  return (
    <button
      type="button"
      aria-label="Search"
      onClick={openSearch}
      className="grid size-10 place-items-center rounded-lg text-ink hover:bg-sunken"
    >
      <Search aria-hidden="true" className="size-5" />
    </button>
  );
}
