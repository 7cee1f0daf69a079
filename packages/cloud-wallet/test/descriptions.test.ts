// The kit and the host accept the same descriptions of remote plugins.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { cloudWalletChecks, runCloudWalletCheck } from '@ledger-ops/adapter-kit/cloud-wallet';
import { createCloudWalletClient, exchangeWith, remoteAdapter } from '@ledger-ops/cloud-wallet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectShortTurns } from '../../../testing/longest-block.ts';
import { transferGlo } from './memory-plugin.ts';

const good = {
  ...{ name: 'far', technology: 'toy', version: '1.0.0', interfaceVersion: '0.1.0' },
  capabilities: { operations: ['transfer'], checks: false, emulations: false },
  description: { title: 'Toy', addresses: { account: { pattern: '^[a-z]+$', example: 'alice' } } },
};
let server: Server;
let url: string;
let body: unknown;

beforeAll(async () => {
  server = createServer((_, response) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '';
});
afterAll(() => server.close());

const accepted = (work: Promise<unknown>) =>
  work.then(
    () => true,
    () => false,
  );
const passes = async () => {
  const check = cloudWalletChecks.find(({ name }) =>
    name.startsWith(
      'the plugin returns a description, with an interface version that the conformance kit supports',
    ),
  );
  if (check === undefined) throw new TypeError('The kit has no such check.');
  const samples = { operation: { glo: transferGlo('3') }, other: { glo: transferGlo('4') } };
  const harness = {
    url,
    ledgerId: 'main',
    funded: 'from-the-start' as const,
    samples,
    close: async () => undefined,
  };
  return await accepted(runCloudWalletCheck(check, async () => harness));
};

const version = (interfaceVersion: unknown) => ({ interfaceVersion });
const described = (more: object) => ({ description: { ...good.description, ...more } });
const capable = (more: object) => ({ capabilities: { ...good.capabilities, ...more } });

test.each<[string, object, boolean]>([
  ['interface 0.1.0', {}, true],
  ['interface 0.1.0 with build metadata', version('0.1.0+x'), true],
  ['a pre-release of interface 0.1.0', version('0.1.0-rc.1'), true],
  ['a newer patch of the interface', version('0.1.7'), false],
  ['a newer minor version of the interface', version('0.2.0'), false],
  ['a newer major version of the interface', version('1.0.0'), false],
  ['an interface version with two numbers', version('0.1'), false],
  ['an interface version with a leading zero', version('0.01.0'), false],
  ['an interface version with a prefix', version('v0.1.0'), false],
  ['an interface version that is a number', version(0.1), false],
  ['no interface version', version(undefined), false],
  ['a technology with a dot', { technology: 'my.ledger' }, false],
  ['a technology of 65 characters', { technology: 'x'.repeat(65) }, false],
  ['a name of 129 characters', { name: 'x'.repeat(129) }, false],
  ['a version that is a number', { version: 1 }, false],
  ['an unknown member', { author: 'Ada' }, true],
  ['an unknown capability', capable({ teleports: true }), true],
  ['a capability that is a string', capable({ checks: 'yes' }), false],
  ['a missing capability', capable({ emulations: undefined }), false],
  ['an empty list of operations', capable({ operations: [] }), false],
  ['an unknown operation', capable({ operations: ['mint'] }), false],
  ['no description', { description: undefined }, true],
  ['a description that is a string', { description: 'toy' }, false],
  ['a description without a title', described({ title: undefined }), false],
  ['a title of 129 characters', described({ title: 'x'.repeat(129) }), false],
  ['a description with an unknown member', described({ currency: 'GLD' }), false],
  ['a description of more than 32,768 characters', described({ title: 'x'.repeat(40_000) }), false],
])('the host and the kit agree on whether a description is valid: %s', async (_, change, isGood) => {
  body = { ...good, ...change };
  const client = createCloudWalletClient({ url, exchange: exchangeWith(fetch), timeoutMs: 10_000 });
  const judged = { host: await accepted(remoteAdapter(client)), kit: await passes() };
  expect(judged).toEqual({ host: isGood, kit: isGood });
});

test('descriptions that arrive together are compiled in different turns of the event loop', async () => {
  let attempt = 0;
  await expectShortTurns(async () => {
    attempt += 1;
    const reading = Array.from({ length: 8 }, async (_, plugin) => {
      const anyOf = Array.from({ length: 250 }, (_, at) => ({
        type: 'string',
        pattern: `^a*b*c?${attempt}x${plugin}y${at}$`,
      }));
      const content = { schema: { type: 'object', properties: { memo: { anyOf } } } };
      const text = JSON.stringify({ ...good, description: { ...good.description, content } });
      const headers = { 'content-type': 'application/json' };
      const exchange = exchangeWith(async () => new Response(text, { headers }));
      await remoteAdapter(
        createCloudWalletClient({ url: 'http://plugin.test', exchange, timeoutMs: 60_000 }),
      );
    });
    await Promise.all(reading);
  });
});
