// The longest responses of a remote plugin must not block its client's event loop.
import { createCloudWalletClient, exchangeWith, type Fetch, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { expect, test } from 'vitest';
import { CostOfAnswers } from '../../../testing/cost-of-answers.ts';
import { transferGlo } from './memory-plugin.ts';

const secret = 'a secret of thirty-two characters';
const plugin = JSON.stringify({
  name: 'far',
  technology: 'ethereum',
  version: '1.0.0',
  interfaceVersion: '0.1.0',
  capabilities: { operations: ['transfer'], checks: true, emulations: true, contractEvents: true },
});

const control = '\\u0001';
const event = (at: number, more: string) =>
  `{"id":"e${at}","height":${at},"blockHash":"b","txId":"t","raw":${more}}`;
const events = (all: string[]) => `{"events":[${all}],"after":{"height":1000},"newest":1000,"more":false}`;
const answers: [string, string, number][] = [
  ['an event with one long string', events([event(1, `{"x":"${control.repeat(1_700_000)}"}`)]), 200],
  ['an event with many values', events([event(1, `{"x":[${'1,'.repeat(49_000)}1]}`)]), 200],
  [
    'a thousand events',
    events(
      Array.from({ length: 1_000 }, (_, at) => event(at + 1, `{"x":"${'"\\"'.slice(1, -1).repeat(2_000)}"}`)),
    ),
    200,
  ],
  ['a text', `{"result":"${'x'.repeat(10_000_000)}"}`, 200],
  ['escapes', `{"result":"${control.repeat(1_700_000)}"}`, 200],
  ['values', `{"result":[${'1,'.repeat(49_000)}1]}`, 200],
  ['too many values', `{"result":[${'1,'.repeat(5_000_000)}1]}`, 200],
  ['nested lists', `{"result":${'['.repeat(31)}${'[],'.repeat(49_000)}1${']'.repeat(31)}}`, 200],
  ['names', `{"result":[${Array.from({ length: 49_000 }, (_, at) => `{"n${at}":1}`)}]}`, 200],
  ['the secret', `{"result":"${secret.repeat(300_000)}"}`, 200],
  [
    'a problem',
    `{"type":"urn:x","title":"","status":400,"detail":"${control.repeat(1_000_000)}","errors":[${'{"pointer":"","detail":"a"},'.repeat(15_000)}{"pointer":"","detail":""}]}`,
    400,
  ],
];

type Remote = ReturnType<Awaited<ReturnType<typeof remoteAdapter>>['open']>;
const glo = transferGlo('1');
/** Every call of the protocol. */
const calls: Readonly<Record<string, (remote: Remote) => Promise<unknown>>> = {
  contractEvents: (remote) =>
    remote.contractEvents({ contract: { address: 'a' }, after: { height: 0 }, limit: 1_000 }),
  emulate: (remote) => remote.emulate({ glo }),
  check: (remote) => remote.check({ walletId: 'w', glo }),
  status: (remote) => remote.status(Array.from({ length: 100 }, (_, at) => `t${at}`)),
  send: (remote) => remote.send({ actionId: 'a', walletId: 'w', secret, glo }),
  createWallet: (remote) => remote.createWallet({ walletId: 'w', secret }),
};
const list = (count: number, item: string) => `[${Array.from({ length: count }, () => item)}]`;
const statuses: [string, string, number][] = [
  ['wrong statuses', list(40_000, '{}'), 200],
  ['texts', list(49_000, '""'), 200],
  ['statuses', list(9_000, '{"txId":"t","status":"PENDING","requests":[]}'), 200],
  ['wrong recipients', `{"recipients":${list(48_000, '1')},"cost":"1"}`, 200],
  [
    'a submission with many members',
    `{"txId":"t","status":"PENDING","problem":{"issues":${list(40_000, '{}')}}}`,
    200,
  ],
  ['a long address', `{"walletAddress":"${control.repeat(1_700_000)}"}`, 200],
];

const described = (members: string) =>
  JSON.stringify({ ...JSON.parse(plugin), technology: 'far-ledger' }).replace(
    /\}$/,
    `,"description":{"title":"Far","addresses":{"account":{"pattern":"^a$","example":"a"}},${members}}}`,
  );
const properties = (count: number, of: string) =>
  `{"type":"object","properties":{${Array.from({ length: count }, (_, at) => `"p${at}":${of}`)}}}`;
/** Descriptions of the ledger that the plugin's own description contains. */
const descriptions: Readonly<Record<string, string>> = {
  'a description with many properties': described(
    `"ledgerProperties":${properties(1_200, '{"type":"string"}')}`,
  ),
  'a description with many patterns': described(
    `"content":{"schema":${properties(600, '{"type":"string","pattern":"^(a{1,50}){1,50}$"}')}}`,
  ),
  'a description with more properties': described(
    `"ledgerProperties":${properties(1_900, '{"type":"string"}')}`,
  ),
  'a deeply nested description': described(
    `"walletParameters":${'{"type":"array","items":'.repeat(10)}{"type":"string"}${'}'.repeat(10)}`,
  ),
  'a description with a long string': described(`"namespace":"${control.repeat(1_000_000)}"`),
  'a description with many values': described(`"templates":{"code":{"enum":[${'1,'.repeat(45_000)}1]}}`),
};

test('the longest descriptions of a remote plugin neither block the event loop nor stay in memory', async () => {
  const encoded = Object.entries(descriptions).map(
    ([name, text]) => [name, new TextEncoder().encode(text)] as const,
  );
  const costs = await CostOfAnswers.start();
  for (const [name, bytes] of encoded) {
    const fetch: Fetch = async () => new Response(bytes, { headers: { 'content-type': 'application/json' } });
    const client = createCloudWalletClient({
      url: 'https://far.example/',
      timeoutMs: 60_000,
      exchange: exchangeWith(fetch),
    });
    await costs.measure(name, () => remoteAdapter(client));
  }
  expect(await costs.excesses()).toEqual([]);
}, 120_000);

test('the longest messages neither block the event loop nor stay in memory', async () => {
  // Flattened before memory is measured, because V8 flattens each string when it is first used.
  const encoded = [...answers, ...statuses].map(
    ([name, text, status]) => [name, new TextEncoder().encode(text), status] as const,
  );
  const costs = await CostOfAnswers.start();
  for (const [name, bytes, status] of encoded) {
    const type = status === 200 ? 'application/json' : 'application/problem+json';
    const fetch: Fetch = async (url) =>
      url.endsWith('/v1/cloud-wallet')
        ? new Response(plugin, { headers: { 'content-type': 'application/json' } })
        : new Response(bytes, { status, headers: { 'content-type': type } });
    const client = createCloudWalletClient({
      url: 'https://far.example/',
      timeoutMs: 60_000,
      exchange: exchangeWith(fetch),
    });
    const remote = (await remoteAdapter(client)).open('l');
    for (const [call, ask] of Object.entries(calls))
      await costs.measure(`${call}: ${name}`, () => ask(remote));
  }
  expect(await costs.excesses()).toEqual([]);
}, 300_000);
