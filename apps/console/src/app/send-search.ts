import { filled } from '../lib/filled.ts';
/** Initial values of the new operation page. */
export interface SendSearch {
  readonly kind?: 'transfer' | 'call' | 'deploy';
  readonly wallet?: string;
  readonly contract?: string;
  /** Template and version: `token:1`. */
  readonly template?: string;
  /** Id of an action whose values fill the form. */
  readonly like?: string;
  /** A kind of operation in the page's address that does not exist. */
  readonly unknown?: string;
}

export function readSendSearch(search: Record<string, unknown>): SendSearch {
  const kind = (['transfer', 'call', 'deploy'] as const).find((one) => one === search.kind);
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const { wallet, contract, template, like, unknown = kind === undefined ? search.kind : undefined } = search;
  return filled({
    ...{ kind, wallet: text(wallet), contract: text(contract), template: text(template) },
    ...{ like: text(like), unknown: text(unknown) },
  });
}
