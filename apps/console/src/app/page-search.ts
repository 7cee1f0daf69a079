/** Page number of a list, as in the page's address. The first page is 1, which is also the default. */
export interface PageSearch {
  readonly page?: number;
}

export function readPageSearch({ page }: Record<string, unknown>): PageSearch {
  return Number.isSafeInteger(page) && Number(page) > 1 ? { page: Number(page) } : {};
}
