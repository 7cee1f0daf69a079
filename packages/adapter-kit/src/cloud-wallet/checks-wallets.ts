import { strict as assert } from 'node:assert';
import { randomBytes, randomUUID } from 'node:crypto';
import { interfaceVersion, isCompatibleInterface } from '@ledger-ops/adapter';
import { protocolLimits } from '@ledger-ops/adapter/cloud-wallet';
import type { CloudWalletCheck } from './check.ts';
import { assertRefusal } from './stage.ts';

const secretOf = () => randomBytes(32).toString('base64url');
const tooLarge = protocolLimits.bodyBytes + 1;

/** The clauses of the plugin's description, its wallets, and how it reads requests. */
export const walletChecks: readonly CloudWalletCheck[] = [
  {
    name: 'the plugin says what it is, and speaks a version of the interface that this kit knows',
    async run({ plugin, harness }) {
      assert.ok(
        isCompatibleInterface(plugin.interfaceVersion),
        `the plugin speaks ${plugin.interfaceVersion}, this kit is for ${interfaceVersion}`,
      );
      if (plugin.ledgers !== undefined) {
        assert.ok(plugin.ledgers.includes(harness.ledgerId), `the ledger ${harness.ledgerId} is not served`);
      }
    },
  },
  {
    name: 'wallets have addresses of their own',
    async run(stage) {
      const [first, second] = [await stage.newWallet(), await stage.newWallet()];
      assert.notEqual(first.address, second.address);
    },
  },
  {
    name: 'createWallet with the same secret gives the same address again, also at the same time',
    async run(stage) {
      const { ledgerId, walletParameters } = stage.harness;
      const walletId = `kit-${randomUUID()}`;
      const pluginParameters = { ...walletParameters, walletPassword: secretOf() };
      const create = () => stage.request('POST', '/wallets', { ledgerId, walletId, pluginParameters });
      const answers = [...(await Promise.all([create(), create(), create()])), await create()];
      for (const { status, body } of answers) {
        assert.equal(status, 201, `createWallet answered ${status}: ${JSON.stringify(body)}`);
        assert.deepStrictEqual(body, answers[0]?.body);
      }
    },
  },
  {
    name: 'createWallet of a wallet that exists is refused with another secret',
    async run(stage) {
      const { walletId } = await stage.newWallet();
      const { ledgerId, walletParameters } = stage.harness;
      const pluginParameters = { ...walletParameters, walletPassword: secretOf() };
      const answer = await stage.request('POST', '/wallets', { ledgerId, walletId, pluginParameters });
      assertRefusal(answer, [409], 'createWallet with another secret');
    },
  },
  {
    name: 'createWallet without a secret is refused, and the problem says where',
    async run(stage) {
      const { ledgerId } = stage.harness;
      const body = { ledgerId, walletId: `kit-${randomUUID()}`, pluginParameters: {} };
      const problem = assertRefusal(await stage.request('POST', '/wallets', body), [400], 'createWallet');
      const pointers = (problem.errors ?? []).map(({ pointer }) => pointer);
      assert.deepStrictEqual(pointers, ['/pluginParameters/walletPassword']);
    },
  },
  {
    name: 'createWallet on a ledger that the plugin does not have is refused',
    async run(stage) {
      const pluginParameters = { walletPassword: secretOf() };
      const body = { ledgerId: `no-${randomUUID()}`, walletId: `kit-${randomUUID()}`, pluginParameters };
      assertRefusal(await stage.request('POST', '/wallets', body), [404], 'an unknown ledger');
    },
  },
  {
    name: 'a body that is no JSON, no object or incomplete is refused with 400',
    async run(stage) {
      for (const text of ['{', '', '[]', '"text"', '{}', '{"ledgerId": 5}']) {
        for (const path of ['/wallets', '/transactions']) {
          assertRefusal(await stage.raw(path, text), [400], `the body ${text || 'of no bytes'} to ${path}`);
        }
      }
    },
  },
  {
    name: 'a body of more than 10 MB is refused with 413',
    async run(stage) {
      const text = `{"actionId":"${'a'.repeat(tooLarge)}"}`;
      assertRefusal(await stage.raw('/transactions', text), [413], 'a body of more than 10 MB');
    },
  },
  {
    name: 'a path that is none is refused with 404, a method that is none with 404 or 405',
    async run(stage) {
      assertRefusal(await stage.request('GET', '/nothing'), [404], 'an unknown path');
      assertRefusal(await stage.request('DELETE', '/wallets'), [404, 405], 'an unknown method');
    },
  },
];
