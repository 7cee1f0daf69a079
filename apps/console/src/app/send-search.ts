/** How the page of a new operation is opened: by its kind, and with what is known already. */
export interface SendSearch {
  readonly kind?: 'transfer' | 'call' | 'deploy';
  readonly wallet?: string;
  readonly contract?: string;
  /** With its version: `token:1`. */
  readonly template?: string;
}

export function readSendSearch(search: Record<string, unknown>): SendSearch {
  const kind = (['transfer', 'call', 'deploy'] as const).find((one) => one === search.kind);
  const { wallet, contract, template } = search;
  return {
    ...(kind === undefined ? {} : { kind }),
    ...(typeof wallet === 'string' ? { wallet } : {}),
    ...(typeof contract === 'string' ? { contract } : {}),
    ...(typeof template === 'string' ? { template } : {}),
  };
}
