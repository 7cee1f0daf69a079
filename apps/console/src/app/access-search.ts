/** Parts of the page on access. */
export const accessParts = [
  ['people', 'Roles'],
  ['accounts', 'Accounts'],
  ['apps', 'Applications'],
  ['invitations', 'Invitations'],
  ['projects', 'Projects'],
  ['may', 'Who may do what'],
] as const;

/** Which of them is open. */
export interface AccessSearch {
  readonly part?: (typeof accessParts)[number][0];
  /** Of whom it is asked what they may do. */
  readonly who?: string;
}

export function readAccessSearch(search: Record<string, unknown>): AccessSearch {
  const part = accessParts.map(([name]) => name).find((name) => name === search.part);
  const { who } = search;
  return { ...(part === undefined ? {} : { part }), ...(typeof who === 'string' ? { who } : {}) };
}
