// Compiled, but never run: the types must reject each marked line.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

type SendBody = components['schemas']['SendBody'];
type Glo = components['schemas']['Glo'];

const sender = { walletId: 'alice', walletPassword: 'correct horse battery staple' };
const recipient: components['schemas']['GloLocator'] = {
  lookup_service: { type: 'service', value: 'service' },
  resource: 'bob',
};

/** Values that the server accepts: null for optional members, and the older forms of a call. */
export const right: Glo[] = [
  { version: '0.1.0', type: 'transfer', options: { recipient, amount: 1 } },
  { type: 'contract_call', params: { contractInstance: 'token', methodName: 'pause' } },
  { type: 'contract_call', options: { contractInstance: recipient, methodName: 'pause', args: [] } },
];
export const nulls: SendBody = {
  ...sender,
  glo: right[0] ?? never(),
  intent: null,
  tag: null,
  dependencies: null,
};

// @ts-expect-error glo is required
export const withoutGlo: SendBody = sender;
// @ts-expect-error a transfer has a recipient
export const withoutRecipient: Glo = { version: '0.1.0', type: 'transfer', options: { amount: '1' } };
// @ts-expect-error the password is not a number
export const withNumber: SendBody = { ...nulls, walletPassword: 1 };
// @ts-expect-error an optional member may be absent, but not undefined
export const withUndefined: SendBody = { ...nulls, deadline: undefined };

const api = createClient<paths>({ baseUrl: 'http://ledger.test' });
// @ts-expect-error the path has a parameter
export const withoutId = () => api.GET('/v1/ledger-ops/search/actions/{actionId}');
export const asText = () =>
  // @ts-expect-error `all` is true or false
  api.GET('/v1/organizations', { params: { query: { all: 'yes' } } });

function never(): never {
  throw new Error('This module is only compiled.');
}
