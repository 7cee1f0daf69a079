import { sessionCookieName } from '@ledger-ops/auth';
import { Problem } from '@ledger-ops/base';
import type { Hono } from 'hono';
import type { EncodedText } from '../http/encoded.ts';
import { methodNotAllowed } from '../http/mount.ts';
import type { Pipeline } from '../http/pipeline.ts';
import { cookieOf } from '../http/request/cookies.ts';
import { type AppContext, type AppEnv, headerOf } from '../http/request/request-head.ts';

/** Files of the console, by path relative to `/console/`. */
export type ConsoleFiles = ReadonlyMap<string, EncodedText>;

const root = '/console/';

/** Serves the console: its files, and its page at every other path. The page has its own router. */
export function mountConsole(app: Hono<AppEnv>, files: ConsoleFiles, pipeline: Pipeline): void {
  const ahead = { Link: linkAhead(files.keys()) };
  const show = (context: AppContext) =>
    pipeline.answer(context, async () => {
      const { path } = context.req;
      if (path === '/console') return { status: 308, headers: { Location: root } };
      const name = path.slice(root.length);
      const page = isPage(name) ? files.get('index.html') : undefined;
      const file = page ?? files.get(name);
      if (file === undefined) throw new Problem('not-found', 'The console has no such file.');
      const answer = await file.answer({
        encodings: headerOf(context, 'accept-encoding'),
        known: headerOf(context, 'if-none-match'),
      });
      // Without a session, the browser is redirected to the sign-in page, which preloads would slow down.
      const isSignedIn = cookieOf(headerOf(context, 'cookie'), sessionCookieName) !== undefined;
      return file === page && isSignedIn ? { ...answer, headers: { ...answer.headers, ...ahead } } : answer;
    });
  const refuse = (context: AppContext) => pipeline.answer(context, () => methodNotAllowed('GET, HEAD'));
  for (const pattern of ['/console', `${root}*`]) {
    app.get(pattern, show);
    app.all(pattern, refuse);
  }
}

/** Returns the path of the console's font on this server; undefined if the console is not served. */
export function consoleFont(files: ConsoleFiles | undefined): string | undefined {
  const name = [...(files?.keys() ?? [])].find((one) => /^assets\/geist-latin-[^/]+[.]woff2$/.test(one));
  return name === undefined ? undefined : `${root}${name}`;
}

/** A missing asset, for example of another version, must get 404 instead of the page. */
function isPage(name: string): boolean {
  return !name.startsWith('assets/') && !name.includes('.');
}

/** Makes the browser load modules that every page needs in parallel with the entry script instead of after it. */
function linkAhead(names: Iterable<string>): string {
  return [...names]
    .filter((name) => /^assets\/(?:react|vendor|parts|rolldown-runtime)-[^/]+[.]js$/.test(name))
    .map((name) => `<${root}${name}>; rel=modulepreload`)
    .join(', ');
}
