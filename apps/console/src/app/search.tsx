import { Dialog } from '@base-ui/react/dialog';
import { actionText, shortText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import {
  ArrowRight,
  Blocks,
  CornerDownLeft,
  FileCode2,
  Hash,
  LayoutTemplate,
  ListChecks,
  Search,
  Tag,
  User,
  Wallet,
  X,
} from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react';
import { ledgersQuery } from '../api/queries.ts';
import { type SearchResult, searchQuery } from '../api/search.ts';
import { commandsFor } from '../lib/commands.ts';
import { ProblemNote } from '../ui/problem.tsx';
import { Status } from '../ui/status.tsx';

/** Milliseconds without typing before the text is searched. */
const pause = 150;

/** One row of the list. */
interface Choice {
  readonly key: string;
  readonly group: string;
  readonly icon: typeof Search;
  readonly name: string;
  readonly detail: ReactNode;
  /** Address below the console's base path. */
  readonly address: string;
}

const icons = {
  ...{ action: ListChecks, wallet: Wallet, contract: FileCode2, template: LayoutTemplate, ledger: Blocks },
  ...{ intent: Hash, tag: Tag, person: User },
} as const;
const groups = {
  ...{
    action: 'Actions',
    wallet: 'Wallets',
    contract: 'Contracts',
    template: 'Templates',
    ledger: 'Ledgers',
  },
  ...{ intent: 'Intents', tag: 'Tags', person: 'People' },
} as const;

function addressOf({ kind, id }: SearchResult): string {
  const of = encodeURIComponent(id);
  switch (kind) {
    case 'action':
      return `/actions/${of}`;
    case 'wallet':
      return `/wallets/${of}`;
    case 'contract':
      return `/actions?contract=${of}`;
    case 'template':
      return `/templates/${of}`;
    case 'ledger':
      return `/ledgers/${of}`;
    case 'intent':
      return `/actions?intent=${of}`;
    case 'tag':
      return `/actions?tag=${of}`;
    case 'person':
      return `/access?part=may&who=${of}`;
  }
}

function choiceOf(result: SearchResult): Choice {
  const { kind, id, name, detail, action } = result;
  return {
    key: `${kind} ${id}`,
    group: groups[kind],
    icon: icons[kind],
    name: action === undefined ? (name ?? id) : actionText(action),
    detail: action === undefined ? shortText(detail ?? '', 10) : <Status of={action} />,
    address: addressOf(result),
  };
}

/** Finds any record, and goes to pages and forms by name. Loaded when it is first opened. */
export default function SearchDialog({
  typed,
  close,
}: {
  typed: RefObject<string | undefined>;
  close: () => void;
}) {
  const router = useRouter();
  const id = useId();
  const [text, setText] = useState(() => typed.current ?? '');
  const [sought, setSought] = useState('');
  const [active, setActive] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setSought(text.trim()), pause);
    return () => clearTimeout(timer);
  }, [text]);
  const ledgers = useQuery(ledgersQuery()).data ?? [];
  const found = useQuery({ ...searchQuery(sought), placeholderData: (before) => before });
  const results = sought === '' || text.trim() === '' ? [] : (found.data ?? []);
  const choices: Choice[] = [
    ...commandsFor(text, ledgers).map(({ name, address }) => ({
      ...{ key: `go ${name}`, group: 'Go to', icon: ArrowRight, name, detail: null, address },
    })),
    ...results.map(choiceOf),
  ];
  const chosen = Math.min(active, choices.length - 1);
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen row changes the attribute that is searched for
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const go = (choice: Choice | undefined) => {
    if (choice === undefined) return;
    close();
    router.history.push(`/console${choice.address}`);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && choices.length > 0) {
      event.preventDefault();
      setActive((chosen + step + choices.length) % choices.length);
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      go(choices[chosen]);
    }
  };
  const isSearching = text.trim() !== sought || found.isFetching;
  return (
    <Dialog.Root
      open
      onOpenChange={(open) => {
        if (!open) close();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/45" />
        <Dialog.Popup className="fixed top-[min(12vh,6rem)] left-1/2 z-50 flex max-h-[76dvh] w-[min(38rem,calc(100vw-2rem))] -translate-x-1/2 flex-col overflow-hidden rounded-2xl border border-line bg-surface text-ink shadow-2xl">
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <div className="flex items-center gap-3 border-b border-line px-4">
            <Search aria-hidden="true" className="size-5 shrink-0 text-ink-3" />
            <input
              role="combobox"
              aria-label="Search or go to"
              aria-expanded={choices.length > 0}
              aria-controls={id}
              aria-autocomplete="list"
              aria-activedescendant={choices.length === 0 ? undefined : `${id}-${chosen}`}
              placeholder="Id, address, transaction, name or tag…"
              autoComplete="off"
              spellCheck={false}
              maxLength={256}
              value={text}
              onChange={({ target }) => {
                setText(target.value);
                setActive(0);
              }}
              onKeyDown={onKeyDown}
              className="min-h-13 w-full bg-transparent outline-none"
            />
            <Dialog.Close
              aria-label="Close"
              className="-mr-2 grid size-9 shrink-0 place-items-center rounded-lg text-ink-3 hover:bg-sunken hover:text-ink"
            >
              <X aria-hidden="true" className="size-4" />
            </Dialog.Close>
          </div>
          <div ref={list} className="min-h-0 overflow-y-auto p-2">
            {found.isError && sought !== '' ? <ProblemNote error={found.error} /> : null}
            <div id={id} role="listbox" aria-label="Results">
              {[...Map.groupBy(choices, ({ group }) => group)].map(([group, members]) => (
                // biome-ignore lint/a11y/useSemanticElements: a group of options has no element of its own
                <div key={group} role="group" aria-labelledby={`${id}-${group}`}>
                  <p id={`${id}-${group}`} className="px-3 pt-2 pb-1 text-xs font-medium text-ink-3">
                    {group}
                  </p>
                  {members.map((choice) => {
                    const index = choices.indexOf(choice);
                    const { icon: Icon } = choice;
                    return (
                      <div
                        key={choice.key}
                        id={`${id}-${index}`}
                        role="option"
                        tabIndex={-1}
                        aria-selected={index === chosen}
                        onMouseMove={() => setActive(index)}
                        onClick={() => go(choice)}
                        onKeyDown={onKeyDown}
                        className="group flex min-h-10 cursor-pointer items-center gap-3 rounded-lg px-3 text-sm aria-selected:bg-accent-soft"
                      >
                        <Icon
                          aria-hidden="true"
                          className="size-4 shrink-0 text-ink-3 group-aria-selected:text-accent"
                        />
                        <span className="min-w-0 flex-1 truncate">{choice.name}</span>
                        <span className="max-w-[45%] shrink-0 truncate text-xs text-ink-2">
                          {choice.detail}
                        </span>
                        <CornerDownLeft
                          aria-hidden="true"
                          className="size-3.5 shrink-0 text-accent opacity-0 group-aria-selected:opacity-100 max-sm:hidden"
                        />
                      </div>
                    );
                  })}
                </div>
              ))}
            </div>
            <p role="status" className="px-3 py-2 text-sm text-ink-2 empty:hidden">
              {choices.length > 0 || text.trim() === '' || found.isError
                ? ''
                : isSearching
                  ? 'Searching…'
                  : `Nothing found for “${sought}” in this project.`}
            </p>
          </div>
          <p
            aria-hidden="true"
            className="flex gap-4 border-t border-line bg-sunken px-4 py-2 text-xs text-ink-3 max-sm:hidden"
          >
            <Key names={['↑', '↓']}>to move</Key>
            <Key names={['↵']}>to open</Key>
            <Key names={['Esc']}>to close</Key>
          </p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** A part of the legend: keys, and what they do. */
function Key({ names, children }: { names: readonly string[]; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1">
      {names.map((name) => (
        <kbd key={name} className="rounded border border-line bg-surface px-1.5 font-sans text-ink-2">
          {name}
        </kbd>
      ))}
      {children}
    </span>
  );
}
