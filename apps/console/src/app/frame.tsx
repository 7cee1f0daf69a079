import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { Outlet, useRouterState } from '@tanstack/react-router';
import { LogOut, Menu as MenuIcon, Monitor, Moon, Sun, X } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useEventStream, useIsLive } from '../api/live.ts';
import { type Person, personQuery, queries } from '../api/queries.ts';
import { chooseTheme, chosenTheme, type Theme } from '../lib/theme.ts';
import { chooseProject, useChosenProject } from '../session/project.ts';
import { signOut } from '../session/session.ts';
import { Empty, Loading } from '../ui/layout.tsx';
import { Wordmark } from '../ui/mark.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Navigation } from './navigation.tsx';

/** The frame around every page of who is signed in. */
export function Frame() {
  const person = useQuery(personQuery());
  useEventStream();
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15.5rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-lg bg-accent px-4 py-2 text-accent-ink focus:translate-y-0"
      >
        To the content
      </a>
      <aside className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-surface lg:flex">
        <div className="px-5 py-5">
          <Wordmark />
        </div>
        <Side person={person.data} />
      </aside>
      <div className="min-w-0">
        <TopBar person={person.data} />
        <main id="content" tabIndex={-1} className="mx-auto max-w-6xl px-4 py-6 outline-none sm:px-8 sm:py-8">
          {person.isError ? <ProblemNote error={person.error} /> : null}
          {person.isPending ? <Loading /> : null}
          {person.data === undefined ? null : <Content person={person.data} />}
        </main>
      </div>
    </div>
  );
}

function Content({ person }: { person: Person }) {
  const chosen = useChosenProject();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isKnown = person.projects.some(({ uid }) => uid === chosen);
  const [first] = person.projects;
  useEffect(() => {
    if (isKnown || first === undefined) return;
    chooseProject(first.uid);
    void queries.invalidateQueries();
  }, [isKnown, first]);
  if (path.endsWith('/invitation')) return <Outlet />;
  if (first === undefined) {
    return (
      <>
        <h1 className="sr-only">No project yet</h1>
        <Empty title="No project yet">
          Your account holds no role on a project. Who administers the installation can invite you into one;
          then its mail leads here.
        </Empty>
      </>
    );
  }
  // Its data is another project's: nothing of the one before stays.
  return isKnown ? <Outlet key={chosen} /> : <Loading />;
}

function TopBar({ person }: { person: Person | undefined }) {
  const [open, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it closes when the page changes
  useEffect(() => setOpen(false), [path]);
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center justify-between border-b border-line bg-surface px-4 lg:hidden">
      <Wordmark />
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Trigger
          aria-label="Menu"
          className="grid size-10 place-items-center rounded-lg text-ink hover:bg-sunken"
        >
          <MenuIcon aria-hidden="true" className="size-5" />
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/45" />
          <Dialog.Popup className="fixed inset-y-0 right-0 z-50 flex w-[min(19rem,88vw)] flex-col border-l border-line bg-surface text-ink">
            <div className="flex items-center justify-between px-5 py-3">
              <Dialog.Title className="font-semibold">Menu</Dialog.Title>
              <Dialog.Close
                aria-label="Close"
                className="-mr-2 grid size-10 place-items-center rounded-lg hover:bg-sunken"
              >
                <X aria-hidden="true" className="size-5" />
              </Dialog.Close>
            </div>
            <Side person={person} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </header>
  );
}

function Side({ person }: { person: Person | undefined }) {
  return (
    <>
      {person === undefined || person.projects.length === 0 ? null : <ProjectChoice person={person} />}
      <Navigation />
      <div className="mt-auto space-y-3 border-t border-line px-5 py-4">
        <Live />
        <ThemeChoice />
        <div className="flex items-center justify-between gap-2">
          <span className="min-w-0 truncate text-sm text-ink-2" title={person?.identifier}>
            {person?.identifier ?? ''}
          </span>
          <button
            type="button"
            onClick={() => void signOut().finally(() => location.replace('/console/signed-out'))}
            className="inline-flex min-h-9 items-center gap-1.5 rounded-lg px-2 text-sm text-ink-2 hover:bg-sunken hover:text-ink"
          >
            <LogOut aria-hidden="true" className="size-4" />
            <span className="whitespace-nowrap">Sign out</span>
          </button>
        </div>
      </div>
    </>
  );
}

function ProjectChoice({ person }: { person: Person }) {
  const chosen = useChosenProject();
  return (
    <div className="px-4 pb-3">
      <select
        aria-label="Project"
        value={chosen ?? ''}
        onChange={({ target }) => {
          chooseProject(target.value);
          // Answers are a project's.
          queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'person' });
        }}
        className="min-h-10 w-full rounded-lg border border-line-strong bg-surface px-2.5 text-sm font-medium"
      >
        {person.projects.map(({ uid, name, organizationId }) => (
          <option key={uid} value={uid}>
            {name} · {organizationId}
          </option>
        ))}
      </select>
    </div>
  );
}

function Live() {
  const isLive = useIsLive();
  return (
    <p className="flex items-center gap-2 text-xs text-ink-2">
      <span className={`size-2 rounded-full ${isLive ? 'bg-good' : 'bg-wait'}`} />
      {isLive ? 'Live' : 'Connecting'}
    </p>
  );
}

const themes = [
  ['system', 'As the system', Monitor],
  ['light', 'Light', Sun],
  ['dark', 'Dark', Moon],
] as const;

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  return (
    <fieldset className="inline-flex rounded-lg border border-line p-0.5">
      <legend className="sr-only">Colours</legend>
      {themes.map(([value, label, Icon]) => (
        <button
          key={value}
          type="button"
          aria-label={label}
          aria-pressed={theme === value}
          onClick={() => {
            chooseTheme(value);
            setTheme(value);
          }}
          className={`grid size-8 place-items-center rounded-md ${theme === value ? 'bg-sunken text-ink' : 'text-ink-3 hover:text-ink'}`}
        >
          <Icon aria-hidden="true" className="size-4" />
        </button>
      ))}
    </fieldset>
  );
}
