import { fileURLToPath } from 'node:url';
import { describeAdapter } from '@ledger-ops/adapter-kit/conformance';
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { openProcessAdapter } from '@ledger-ops/plugin-host';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Furniture, furnish, openHarness } from './conformance-harness.ts';
import { inspectOne, makeLate, replaceWith } from './late.ts';
import { keyOf, ledgerOf, openSession, transfer } from './stage.ts';

let node: Anvil;
let furniture: Furniture;
const definition = await openProcessAdapter({
  specifier: fileURLToPath(new URL('../src/index.ts', import.meta.url)),
  plugin: '@ledger-ops/plugin-ethereum',
  log: () => undefined,
});

beforeAll(async () => {
  node = await startAnvil({ mining: 'automine' });
  furniture = await furnish(node);
});
afterAll(async () => {
  await definition.close();
  await node?.stop();
});

describeAdapter({
  name: 'in a child process, the Ethereum adapter passes the conformance tests',
  definition,
  open: () => openHarness(node, furniture),
});

test('an adapter in a child process replaces and inspects late transactions', async () => {
  const actor = await openSession(ledgerOf([node.url]), keyOf(node, 3), definition);
  try {
    const late = await makeLate(actor, transfer('0x000000000000000000000000000000000000bEEF', 3n));
    const bump = await replaceWith(actor, late, 'bump', { raise: 'always' });
    expect(await inspectOne(actor, late)).toEqual({ status: 'shown' });
    const noop = await replaceWith(actor, late, 'noop');
    for (const one of [bump, noop]) {
      expect(await actor.session.submit([one])).toMatchObject([{ status: 'accepted' }]);
    }
    await node.rpc('evm_mine');
    expect(await actor.session.lookup(noop.txId)).toMatchObject({ status: 'SUCCEEDED' });
  } finally {
    await actor.session.close();
  }
});

test('one child process runs all conformance tests without a restart', () => {
  expect(definition.health()).toMatchObject({ state: 'up', restarts: 0 });
});
