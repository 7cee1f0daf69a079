import { readSchema } from '@ledger-ops/glo-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Ground, makeServer, openGround } from '../stage/harness.ts';

const json = z.record(z.string(), z.unknown());
const offer = z.object({
  ledgerProperties: json,
  remoteLedgerProperties: json,
  technologies: z.array(
    z
      .object({
        name: z.string(),
        ledgerProperties: json,
        content: z.object({ schema: json }),
        addresses: z.object({ account: z.object({ pattern: z.string(), example: z.string() }) }),
      })
      .loose(),
  ),
});

let ground: Ground;
beforeAll(async () => {
  ground = await openGround();
});
afterAll(() => ground.close());

const ask = async (headers: Readonly<Record<string, string>>) =>
  await makeServer(ground).app.request('/v1/technologies', { headers });

test('every signed-in caller can list the technologies of the plugins, with their schemas', async () => {
  const answer = await ask(ground.caller.headers);
  expect(answer.status).toBe(200);
  const { technologies, ledgerProperties: common, remoteLedgerProperties } = offer.parse(await answer.json());
  expect(readSchema(common).read({ confirmations: 0 }).issues).toMatchObject([{ pointer: '/confirmations' }]);
  // Other common properties of a ledger with a remote plugin are refused: see remote-plugins.test.ts.
  expect(Object.keys(Object(remoteLedgerProperties.properties))).toEqual([
    'max_in_flight',
    'polling_interval',
    'plugin_tags',
  ]);
  expect(technologies).toMatchObject([
    {
      name: 'ethereum',
      title: 'Ethereum',
      namespace: 'eip155',
      unit: { symbol: 'ETH', decimals: 18 },
      walletParameters: null,
      templates: { languages: ['Solidity'] },
      plugins: [{ id: 'ethereum', keyType: 'secp256k1', capabilities: { sequence: 'account' } }],
    },
  ]);
  for (const { ledgerProperties, content, addresses } of technologies) {
    expect(readSchema(ledgerProperties).read({ chain_id: 0 }).issues).toMatchObject([
      { pointer: '/chain_id' },
    ]);
    expect(readSchema(content.schema).read({ nonce: '7' }).issues).toEqual([]);
    expect(addresses.account.example).toMatch(new RegExp(addresses.account.pattern));
  }
});

test('a caller who is not signed in gets 401 instead of the list of technologies', async () => {
  expect((await ask({})).status).toBe(401);
});
