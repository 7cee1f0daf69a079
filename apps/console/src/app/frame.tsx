import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { CircleAlert, LogOut, Menu as MenuIcon, Monitor, Moon, Sun } from 'lucide-react';
import { lazy, Suspense, useDeferredValue, useEffect, useState, useSyncExternalStore } from 'react';
import { useEventStream, useIsLive } from '../api/live.ts';
import type { Person } from '../api/person.ts';
import { personQuery, queries, readinessQuery } from '../api/queries.ts';
import { chooseTheme, chosenTheme, type Theme } from '../lib/theme.ts';
import { chooseProject, forgetProject } from '../session/project.ts';
import { signOut } from '../session/session.ts';
import { useChosenProject } from '../session/use-project.ts';
import { buttonClass } from '../ui/button.tsx';
import { Empty, Loading } from '../ui/layout.tsx';
import { Wordmark } from '../ui/mark.tsx';
import { ProblemNote } from '../ui/problem.tsx';
import { Navigation } from './navigation.tsx';
import { SearchButton, SearchIcon, SearchMount } from './search-opening.tsx';

const Drawer = lazy(() => import('./drawer.tsx'));

/**
 * The width must be that of `lg` in the styles. Phones show the sidebar in a drawer, so they do not render it
 * before the page.
 */
const wide = matchMedia('(width >= 64rem)');

function watchWidth(watcher: () => void): () => void {
  wide.addEventListener('change', watcher);
  return () => wide.removeEventListener('change', watcher);
}

/** The frame around every page that requires a sign-in. */
export function Frame() {
  const person = useQuery(personQuery());
  const isWide = useSyncExternalStore(watchWidth, () => wide.matches);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15.5rem_minmax(0,1fr)]">
      <a
        href="#content"
        className="fixed top-2 left-2 z-50 -translate-y-16 rounded-lg bg-accent px-4 py-2 text-accent-ink focus:translate-y-0"
      >
        Skip to content
      </a>
      {isWide ? (
        <aside className="on-brand sticky top-0 flex h-dvh flex-col">
          <div className="px-5 py-5">
            <Wordmark />
          </div>
          <Side person={person.data} />
        </aside>
      ) : null}
      {hasProject(person.data) ? <SearchMount /> : null}
      <div className="min-w-0">
        <TopBar person={person.data} />
        <main id="content" tabIndex={-1} className="mx-auto max-w-6xl px-4 py-6 outline-none sm:px-8 sm:py-8">
          {person.isError ? <ProblemNote error={person.error} canRetry /> : null}
          {!person.isError && hasProject(person.data) ? <Unreached /> : null}
          <ReadOnly />
          {person.isError ? null : <Content person={person.data} />}
        </main>
      </div>
    </div>
  );
}

/** Whether the user has a project. Without a project there is no event stream to detect a lost connection. */
const hasProject = (person: Person | undefined) => person !== undefined && person.projects.length > 0;

/**
 * Renders the page immediately, in the chosen project. Its requests wait until the project is confirmed to exist;
 * otherwise the first available project is chosen.
 */
function Content({ person }: { person: Person | undefined }) {
  const chosen = useChosenProject();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const isKnown = person?.projects.some(({ uid }) => uid === chosen) === true;
  const first = person?.projects[0];
  const hasNoProject = person !== undefined && first === undefined;
  useEventStream(isKnown ? chosen : undefined);
  // Deferred: rendered after the frame in small steps, so that a slow phone still responds to taps.
  const shown = useDeferredValue(chosen, undefined);
  useEffect(() => {
    // The service refuses requests in a project that the user has lost access to.
    if (hasNoProject) forgetProject();
    if (isKnown || first === undefined) return;
    chooseProject(first.uid);
    void queries.invalidateQueries();
  }, [isKnown, hasNoProject, first]);
  if (path.endsWith('/invitation')) return <Outlet />;
  if (hasNoProject) {
    // The access page is where a project is created or restored.
    if (path.endsWith('/access')) return chosen === undefined ? <Outlet /> : <Loading />;
    return (
      <>
        <h1 className="sr-only">No projects yet</h1>
        <Empty title="No projects yet">
          <p>
            Your account has no role on a project. Ask an administrator of the installation to invite you to
            one. If you own an organization, create a project.
          </p>
          <Link to="/access" search={{ part: 'projects' }} className={buttonClass('plain', 'mt-4')}>
            Projects and organizations
          </Link>
        </Empty>
      </>
    );
  }
  // The key remounts the page, so no data of the previous project remains.
  return chosen !== undefined && shown === chosen ? <Outlet key={chosen} /> : <Loading />;
}

/**
 * How long the event stream may be missing before the page reports it, in milliseconds. A server takes less
 * time to restart.
 */
const reportDelayMs = 4_000;

/** Reports that the service cannot be reached and that the page may be outdated. */
function Unreached() {
  const isLive = useIsLive();
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    setLong(false);
    if (isLive) return;
    const timer = setTimeout(() => setLong(true), reportDelayMs);
    return () => clearTimeout(timer);
  }, [isLive]);
  return (
    <div aria-live="polite">
      {isLong && !isLive ? (
        <p className="mb-5 rounded-lg bg-wait-soft px-4 py-3 text-sm">
          The service cannot be reached. The console keeps trying; until then this page may be out of date.
        </p>
      ) : null}
    </div>
  );
}

/** Milliseconds between checks whether the service is read-only. It stays read-only until it is restarted. */
const readOnlyIntervalMs = 60_000;

/** Reports that the service is read-only until its deployer has run `adopt`. */
function ReadOnly() {
  const { data } = useQuery({ ...readinessQuery(), refetchInterval: readOnlyIntervalMs });
  if (data?.readOnly !== true) return null;
  return (
    <div
      role="alert"
      className="mb-5 flex gap-3 rounded-xl border border-bad/40 bg-bad-soft px-4 py-3 text-sm text-pretty"
    >
      <CircleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0">
        <p className="font-medium">The database was copied, moved or restored</p>
        <p className="text-ink-2">
          Records can be read, but nothing is accepted, signed or sent until a deployer runs{' '}
          <code className="whitespace-nowrap text-ink">ledger-ops adopt</code>.
        </p>
      </div>
    </div>
  );
}

function TopBar({ person }: { person: Person | undefined }) {
  const [open, setOpen] = useState(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the drawer when the page changes
  useEffect(() => setOpen(false), [path]);
  return (
    <header className="on-brand sticky top-0 z-30 flex h-14 items-center justify-between px-4 lg:hidden">
      <Wordmark />
      <span className="ml-auto">{hasProject(person) ? <SearchIcon /> : null}</span>
      <button
        type="button"
        aria-label="Menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
        className="grid size-10 place-items-center rounded-lg text-ink hover:bg-sunken"
      >
        <MenuIcon aria-hidden="true" className="size-5" />
      </button>
      <Suspense>
        {open ? (
          <Drawer close={() => setOpen(false)}>
            <Side person={person} />
          </Drawer>
        ) : null}
      </Suspense>
    </header>
  );
}

function Side({ person }: { person: Person | undefined }) {
  return (
    <>
      {person !== undefined && hasProject(person) ? <ProjectChoice person={person} /> : null}
      {hasProject(person) ? (
        <div className="px-4 pb-3 max-lg:hidden">
          <SearchButton />
        </div>
      ) : null}
      <Navigation />
      <div className="mt-auto space-y-2 border-t border-line px-5 py-4">
        <div className="flex items-center justify-between gap-2">
          {hasProject(person) ? <Live /> : null}
          <ThemeChoice />
        </div>
        <p className="truncate text-sm text-ink-2" title={person?.identifier}>
          {person?.identifier ?? ''}
        </p>
        <SignOut />
      </div>
    </>
  );
}

function SignOut() {
  const request = useMutation({
    mutationFn: signOut,
    onSuccess: () => location.replace('/console/signed-out'),
  });
  return (
    <>
      {request.isError ? (
        <p role="alert" className="rounded-lg bg-bad-soft px-3 py-2 text-sm text-bad">
          {request.error.message}
        </p>
      ) : null}
      <button
        type="button"
        disabled={request.isPending}
        onClick={() => request.mutate()}
        className="-ml-2 inline-flex min-h-9 items-center gap-2 rounded-lg px-2 text-sm text-ink-2 hover:bg-sunken hover:text-ink"
      >
        <LogOut aria-hidden="true" className="size-4" />
        Sign out
      </button>
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
          // Cached responses belong to one project.
          queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'person' });
        }}
        className="min-h-10 w-full rounded-lg border border-line-strong bg-surface px-2.5 text-sm font-medium"
      >
        {[...Map.groupBy(person.projects, ({ organizationId }) => organizationId)].map(
          ([organizationId, projects]) => (
            <optgroup key={organizationId} label={organizationId}>
              {projects.map(({ uid, name }) => (
                <option key={uid} value={uid}>
                  {name}
                </option>
              ))}
            </optgroup>
          ),
        )}
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
  ['system', 'System colors', Monitor],
  ['light', 'Light colors', Sun],
  ['dark', 'Dark colors', Moon],
] as const;

function ThemeChoice() {
  const [theme, setTheme] = useState<Theme>(chosenTheme);
  return (
    <fieldset className="inline-flex rounded-lg border border-line p-0.5">
      <legend className="sr-only">Colors</legend>
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
