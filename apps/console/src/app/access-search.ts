import { filled } from '../lib/filled.ts';
/** Tabs of the access page. */
export const accessParts = [
  ['people', 'Roles'],
  ['accounts', 'Accounts'],
  ['apps', 'Applications'],
  ['invitations', 'Invitations'],
  ['projects', 'Projects'],
  ['storage', 'Storage'],
  ['may', 'Permissions'],
] as const;

/** The open tab. */
export interface AccessSearch {
  readonly part?: (typeof accessParts)[number][0];
  /** Service id of the identity whose permissions are shown. */
  readonly who?: string;
  /** A tab in the page's address that does not exist. */
  readonly unknown?: string;
}

export function readAccessSearch(search: Record<string, unknown>): AccessSearch {
  const part = accessParts.map(([name]) => name).find((name) => name === search.part);
  const { who, part: given, unknown = part === undefined ? given : undefined } = search;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return filled({ part, who: text(who), unknown: text(unknown) });
}
