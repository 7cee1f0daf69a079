import type { paths } from './schema.generated.ts';
import { answer, type Transport } from './transport.ts';

type JsonOf<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Page } } } };
}
  ? Page
  : never;

/** A page of numbered ones, or of those with cursors, whose items have a name of their own. */
type ItemOf<Page> = Page extends { pageContent: readonly (infer Item)[] }
  ? Item
  : Page extends { next: string | null }
    ? Page[Exclude<keyof Page, 'next'>] extends readonly (infer Item)[]
      ? Item
      : never
    : never;

/** Paths whose GET answers pages. */
export type PagedPath = {
  [Path in keyof paths]: [ItemOf<JsonOf<Path>>] extends [never] ? never : Path;
}[keyof paths];

/** One item of a list. */
export type Item<Path extends PagedPath> = ItemOf<JsonOf<Path>>;

type ParametersOf<Path extends PagedPath> = paths[Path] extends { get: { parameters: infer Parameters } }
  ? Parameters
  : never;
type QueryOf<Parameters> = Parameters extends { query?: infer Query }
  ? Omit<NonNullable<Query>, 'cursor' | 'page'>
  : never;
type PathOf<Parameters> = Parameters extends { path: infer Names } ? { path: Names } : { path?: never };
type RequiredQuery<Query> = Record<string, never> extends Query ? { query?: Query } : { query: Query };

/** Of the path and of the query, without what turns pages. */
export type ListParameters<Path extends PagedPath> = PathOf<ParametersOf<Path>> &
  RequiredQuery<QueryOf<ParametersOf<Path>>>;

/** Every item of a list, page after page; the next page is asked for when it is needed. */
export async function* eachItem<Path extends PagedPath>(
  { http }: Transport,
  path: Path,
  parameters: ListParameters<Path>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item<Path>, void> {
  let turn: Record<string, unknown> = {};
  for (;;) {
    const query = { size: 100, ...parameters.query, ...turn };
    // The types of all lists at once are too many for the compiler; the parameters were checked above.
    const page: unknown = await answer(
      http.GET(path as '/v1/ledger-ops/actions', {
        params: { ...parameters, query } as never,
        ...(signal === undefined ? {} : { signal }),
      }),
    );
    const { items, next } = readPage(page);
    // By the path's answer.
    for (const item of items) yield item as Item<Path>;
    if (next === undefined) return;
    turn = next;
  }
}

/** @throws TypeError for what is no page */
function readPage(page: unknown): { items: readonly unknown[]; next: Record<string, unknown> | undefined } {
  if (typeof page !== 'object' || page === null) throw new TypeError('The answer is no page.');
  const items: unknown = Object.values(page).find((value) => Array.isArray(value));
  if (!Array.isArray(items)) throw new TypeError('The answer is no page.');
  if ('next' in page)
    return { items, next: typeof page.next === 'string' ? { cursor: page.next } : undefined };
  if ('hasMore' in page && 'nextPage' in page) {
    return { items, next: page.hasMore === true ? { page: page.nextPage } : undefined };
  }
  if (!('pageNumber' in page && 'totalPages' in page)) throw new TypeError('The answer is no page.');
  const following = Number(page.pageNumber) + 1;
  return { items, next: following < Number(page.totalPages) ? { page: following } : undefined };
}
