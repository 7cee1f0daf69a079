import { strict as assert } from 'node:assert';
import { randomBytes, randomUUID } from 'node:crypto';
import { interfaceVersion, isCompatibleInterface, readDescription } from '@ledger-ops/adapter';
import { protocolLimits } from '@ledger-ops/adapter/cloud-wallet';
import { readSchema } from '@ledger-ops/glo-core';
import type { CloudWalletCheck } from './check.ts';
import { assertRefusal } from './stage.ts';

const secretOf = () => randomBytes(32).toString('base64url');
/** Returns a JSON object of this many bytes. */
const bodyOf = (bytes: number) => `{"padding":"${'a'.repeat(bytes - '{"padding":""}'.length)}"}`;

/** Returns why the host refuses the description; undefined if the host accepts it. */
function descriptionFault(...described: Parameters<typeof readDescription>): string | undefined {
  try {
    readDescription(...described);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Checks of the plugin's description, wallets and parsing of requests. */
export const walletChecks: readonly CloudWalletCheck[] = [
  {
    name: 'the plugin returns a description, with an interface version that the conformance kit supports',
    async run({ plugin, harness }) {
      assert.ok(
        isCompatibleInterface(plugin.interfaceVersion),
        `the plugin implements ${plugin.interfaceVersion}, but the conformance kit is for ${interfaceVersion}`,
      );
      // Hosts make the same check: a plugin whose description a host refuses cannot be registered.
      const { name, technology, description } = plugin;
      if (description !== undefined) assert.equal(descriptionFault(name, technology, description), undefined);
      if (plugin.ledgers !== undefined) {
        assert.ok(
          plugin.ledgers.includes(harness.ledgerId),
          `the plugin does not serve the ledger ${harness.ledgerId}`,
        );
      }
    },
  },
  {
    name: 'each wallet has its own address',
    async run(stage) {
      const [first, second] = [await stage.newWallet(), await stage.newWallet()];
      assert.notEqual(first.address, second.address);
    },
  },
  {
    name: "a wallet's address matches the pattern of the description",
    missing: ({ plugin: { description } }) =>
      description === undefined ? 'the plugin has no description' : undefined,
    async run(stage) {
      const { name, technology, description } = stage.plugin;
      assert.ok(description !== undefined);
      const { pattern, example } = readDescription(name, technology, description).addresses.account;
      const { address } = await stage.newWallet();
      const { issues } = readSchema({ type: 'string', pattern }).read(address);
      assert.deepStrictEqual(issues, [], `${address} does not have the form of the example ${example}`);
    },
  },
  {
    name: 'createWallet with the same secret returns the same address, even for concurrent requests',
    async run(stage) {
      const { ledgerId, walletParameters } = stage.harness;
      const walletId = `kit-${randomUUID()}`;
      const pluginParameters = { ...walletParameters, walletPassword: secretOf() };
      const create = () => stage.request('POST', '/wallets', { ledgerId, walletId, pluginParameters });
      const answers = [...(await Promise.all([create(), create(), create()])), await create()];
      for (const { status, body } of answers) {
        assert.equal(status, 201, `createWallet returned the status ${status}: ${JSON.stringify(body)}`);
        assert.deepStrictEqual(body, answers[0]?.body);
      }
    },
  },
  {
    name: 'createWallet for an existing wallet with another secret is rejected',
    async run(stage) {
      const { walletId } = await stage.newWallet();
      const { ledgerId, walletParameters } = stage.harness;
      const pluginParameters = { ...walletParameters, walletPassword: secretOf() };
      const answer = await stage.request('POST', '/wallets', { ledgerId, walletId, pluginParameters });
      assertRefusal(answer, [409], 'createWallet with another secret');
    },
  },
  {
    name: 'createWallet without a secret is rejected, and the problem contains the position of the error',
    async run(stage) {
      const { ledgerId } = stage.harness;
      const body = { ledgerId, walletId: `kit-${randomUUID()}`, pluginParameters: {} };
      const problem = assertRefusal(await stage.request('POST', '/wallets', body), [400], 'createWallet');
      const pointers = (problem.errors ?? []).map(({ pointer }) => pointer);
      assert.deepStrictEqual(pointers, ['/pluginParameters/walletPassword']);
    },
  },
  {
    name: 'createWallet on an unknown ledger is rejected',
    async run(stage) {
      const pluginParameters = { walletPassword: secretOf() };
      const body = { ledgerId: `no-${randomUUID()}`, walletId: `kit-${randomUUID()}`, pluginParameters };
      assertRefusal(await stage.request('POST', '/wallets', body), [404], 'an unknown ledger');
    },
  },
  {
    name: 'a body that is not JSON, not an object or incomplete is rejected with 400',
    async run(stage) {
      for (const text of ['{', '', '[]', '"text"', '{}', '{"ledgerId": 5}']) {
        for (const path of ['/wallets', '/transactions']) {
          assertRefusal(await stage.raw(path, text), [400], `the body ${text || 'with no bytes'} to ${path}`);
        }
      }
    },
  },
  {
    // A host may send a template of 10 MiB with an operation.
    name: 'accepts a request body of 16 MiB, and rejects a body that is one byte longer with 413',
    async run(stage) {
      const { bodyBytes } = protocolLimits;
      const longest = await stage.raw('/transactions', bodyOf(bodyBytes));
      assertRefusal(longest, [400], 'an incomplete body of 16 MiB');
      const longer = await stage.raw('/transactions', bodyOf(bodyBytes + 1));
      assertRefusal(longer, [413], 'a body of 16 MiB and a byte');
    },
  },
  {
    name: 'an unknown path is rejected with 404, and an unknown method with 404 or 405',
    async run(stage) {
      assertRefusal(await stage.request('GET', '/nothing'), [404], 'an unknown path');
      assertRefusal(await stage.request('DELETE', '/wallets'), [404, 405], 'an unknown method');
    },
  },
];
