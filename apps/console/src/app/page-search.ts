/** The page of a list, as its address has it, from 1; without one it is the first. */
export interface PageSearch {
  readonly page?: number;
}

export function readPageSearch({ page }: Record<string, unknown>): PageSearch {
  return Number.isSafeInteger(page) && Number(page) > 1 ? { page: Number(page) } : {};
}
