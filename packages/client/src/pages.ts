import { given } from './given.ts';
import { unreadableProblem } from './problem.ts';
import type { paths } from './schema.generated.ts';
import type { Transport } from './transport.ts';

type JsonOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Page } } } };
}
  ? Page
  : never;

/** Item type of a numbered or cursor-based page, whose list of items has its own name. */
type ItemOf<Page> = Page extends { pageContent: readonly (infer Item)[] }
  ? Item
  : Page extends { next: string | null }
    ? Page[Exclude<keyof Page, 'next'>] extends readonly (infer Item)[]
      ? Item
      : never
    : never;

/** Paths whose GET returns pages. */
export type PagedPath = {
  [Path in keyof paths]: [ItemOf<JsonOf<Path>>] extends [never] ? never : Path;
}[keyof paths];

/** Type of the items that a path lists. */
export type Item<Path extends PagedPath> = ItemOf<JsonOf<Path>>;

type ParametersOf<Path extends PagedPath> = paths[Path] extends { get: { parameters: infer Parameters } }
  ? Parameters
  : never;
type QueryOf<Parameters> = Parameters extends { query?: infer Query }
  ? Omit<NonNullable<Query>, 'cursor' | 'page'>
  : never;
type PathOf<Parameters> = Parameters extends { path: infer Names } ? { path: Names } : { path?: never };
type RequiredQuery<Query> = Record<string, never> extends Query ? { query?: Query } : { query: Query };

/** Path and query parameters, without those for paging. */
export type ListParameters<Path extends PagedPath> = PathOf<ParametersOf<Path>> &
  RequiredQuery<QueryOf<ParametersOf<Path>>>;

/** Every item of a list. Requests the next page when it is needed. */
export async function* eachItem<Path extends PagedPath>(
  { http }: Transport,
  path: Path,
  parameters: ListParameters<Path>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item<Path>, void> {
  let turn: Record<string, unknown> = {};
  for (;;) {
    const query = { size: 100, ...given(parameters.query ?? {}), ...turn };
    // Typed loosely, because the union of all list types is too large for the compiler. The parameters were
    // checked above.
    const { data, response } = await http.GET(path as '/v1/ledger-ops/actions', {
      params: { ...parameters, query } as never,
      ...given({ signal }),
    });
    const page = readPage(data);
    if (page === undefined) throw unreadableProblem(response, '', 'a page of results');
    const { items, next } = page;
    // The items have the type of the path's response.
    for (const item of items) yield item as Item<Path>;
    if (next === undefined) return;
    turn = next;
  }
}

interface Page {
  readonly items: readonly unknown[];
  /** Parameters of the next page; undefined on the last page. */
  readonly next: Record<string, unknown> | undefined;
}

/** Returns undefined if the value is not a page. */
function readPage(page: unknown): Page | undefined {
  if (typeof page !== 'object' || page === null) return undefined;
  const items: unknown = Object.values(page).find((value) => Array.isArray(value));
  if (!Array.isArray(items)) return undefined;
  if ('next' in page)
    return { items, next: typeof page.next === 'string' ? { cursor: page.next } : undefined };
  if ('hasMore' in page && 'nextPage' in page) {
    return { items, next: page.hasMore === true ? { page: page.nextPage } : undefined };
  }
  if (!('pageNumber' in page && 'totalPages' in page)) return undefined;
  const following = Number(page.pageNumber) + 1;
  return { items, next: following < Number(page.totalPages) ? { page: following } : undefined };
}
