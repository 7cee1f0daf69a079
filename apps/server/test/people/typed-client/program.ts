// A third-party program with types that openapi-typescript generated from the server's OpenAPI document. It gets a token, creates
// two wallets, sends a transfer and reads its result. It uses neither our types nor casts.
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

type Action = components['schemas']['Action'];

const setting = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set.`);
  return value;
};
const walletPassword = 'correct horse battery staple';
const baseUrl = setting('BASE_URL');
const ApplicationToken = setting('APPLICATION_TOKEN');

const { data: token, error: refused } = await createClient<paths>({ baseUrl }).POST('/v1/auth/token', {
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: {
    grant_type: 'client_credentials',
    client_id: setting('CLIENT_ID'),
    service_account: setting('SERVICE_ACCOUNT'),
    client_secret: setting('CLIENT_SECRET'),
  },
});
if (token === undefined) throw new Error(JSON.stringify(refused));

const api = createClient<paths>({
  baseUrl,
  headers: { ApplicationToken, Authorization: `${token.token_type} ${token.access_token}` },
});

const sender = await makeWallet('typed-sender');
await makeWallet('typed-receiver');
// The service has no faucet, so the node itself funds the wallet.
await fetch(setting('NODE_URL'), {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'anvil_setBalance',
    params: [sender, '0x56BC75E2D63100000'],
  }),
});

const { data: accepted, error: unsent } = await api.POST('/v1/ledger-ops/send', {
  params: { header: { 'Idempotency-Key': 'typed-1' } },
  body: {
    walletId: 'typed-sender',
    walletPassword,
    intent: null,
    glo: {
      version: '0.1.0',
      type: 'transfer',
      options: {
        recipient: { lookup_service: { type: 'service', value: 'service' }, resource: 'typed-receiver' },
        amount: '1000',
      },
    },
  },
});
if (accepted === undefined) throw new Error(`${unsent.title}: ${unsent.detail}`);
// The compiler must reject values that the document does not allow.
// @ts-expect-error the status of an accepted action is PENDING
if (accepted.status === 'SUCCEEDED') throw new Error('An accepted action is final.');

const action = await ended(accepted.actionId);
const locator: string | null = action.locator;
console.log(JSON.stringify({ status: action.status, locator, intent: accepted.intent }));

async function makeWallet(walletId: string): Promise<string> {
  const { data, error } = await api.POST('/v1/cloud-wallet/wallets', {
    body: { walletId, ledgerId: 'chain', pluginParameters: { walletPassword } },
  });
  if (data === undefined) throw new Error(`${error.type}: ${error.detail}`);
  return data.walletAddress;
}

async function ended(actionId: string): Promise<Action> {
  const until = Date.now() + 30_000;
  for (;;) {
    const { data, error } = await api.GET('/v1/ledger-ops/search/actions/{actionId}', {
      params: { path: { actionId } },
    });
    if (data === undefined) throw new Error(error.detail);
    if (data.status !== 'PENDING') return data;
    if (Date.now() > until) throw new Error(`Still PENDING: ${data.pending?.detail ?? 'no reason'}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
