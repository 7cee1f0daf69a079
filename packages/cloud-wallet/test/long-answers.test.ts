// The longest answers of a remote plugin: none keeps its client's process from everything else.
import { createCloudWalletClient, type Fetch, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { expect, test } from 'vitest';
import { unitOfWork, watch } from '../../../testing/longest-block.ts';
import { transferGlo } from './served-memory.ts';

/** Units of work that one turn of the event loop may take: 50 milliseconds or less, where a unit takes 20 to 25. */
const most = 2;
const secret = 'a secret of thirty-two characters';
const plugin = JSON.stringify({
  name: 'far',
  technology: 'ethereum',
  version: '1.0.0',
  interfaceVersion: '0.1.0',
  capabilities: { operations: ['transfer'], checks: true, emulations: true },
});

const control = '\\u0001';
const answers: [string, string, number][] = [
  ['a text', `{"result":"${'x'.repeat(10_000_000)}"}`, 200],
  ['escapes', `{"result":"${control.repeat(1_700_000)}"}`, 200],
  ['values', `{"result":[${'1,'.repeat(49_000)}1]}`, 200],
  ['too many values', `{"result":[${'1,'.repeat(5_000_000)}1]}`, 200],
  ['lists in lists', `{"result":${'['.repeat(31)}${'[],'.repeat(49_000)}1${']'.repeat(31)}}`, 200],
  ['names', `{"result":[${Array.from({ length: 49_000 }, (_, at) => `{"n${at}":1}`)}]}`, 200],
  ['the secret', `{"result":"${secret.repeat(300_000)}"}`, 200],
  [
    'a problem',
    `{"type":"urn:x","title":"","status":400,"detail":"${control.repeat(1_000_000)}","errors":[${'{"pointer":"","detail":"a"},'.repeat(15_000)}{"pointer":"","detail":""}]}`,
    400,
  ],
];

test('none keeps the event loop', async () => {
  const unit = unitOfWork();
  const blocked: string[] = [];
  const lines: string[] = [];
  for (const [name, text, status] of answers) {
    const bytes = new TextEncoder().encode(text);
    const type = status === 200 ? 'application/json' : 'application/problem+json';
    const fetch: Fetch = async (url) =>
      url.endsWith('/v1/cloud-wallet')
        ? new Response(plugin, { headers: { 'content-type': 'application/json' } })
        : new Response(bytes, { status, headers: { 'content-type': type } });
    const client = createCloudWalletClient({ url: 'https://far.example/', timeoutMs: 60_000, fetch });
    const remote = (await remoteAdapter(client)).open('l');
    let longest = Number.POSITIVE_INFINITY;
    // The first time much is compiled, or garbage of others is collected: the least of a few counts.
    for (let again = 0; again < 4 && longest > most * unit; again += 1) {
      const ask = () => remote.emulate({ glo: transferGlo('1') }).catch((error: Error) => error.message);
      longest = Math.min(longest, (await watch(ask)).longest);
    }
    lines.push(`${longest.toFixed(1).padStart(8)} ms ${name}`);
    if (longest > most * unit) blocked.push(`${name}: ${longest.toFixed(0)} ms`);
  }
  process.stdout.write(`${lines.join('\n')}\n       a unit is ${unit.toFixed(1)} ms\n`);
  expect(blocked).toEqual([]);
}, 300_000);
