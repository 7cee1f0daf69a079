import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen, serveAdapter } from '@ledger-ops/adapter/cloud-wallet';
import { describeCloudWallet } from '@ledger-ops/adapter/conformance-remote';
import { afterAll, describe } from 'vitest';
import { fabricAdapter } from '../src/index.ts';
import { openNetwork, skipped } from './network.ts';
import { functionOf, ledgerOf, organizationAt } from './profile.ts';
import { freshKey } from './stage.ts';

const network = await openNetwork();
const { profile } = network;
afterAll(() => network.close());

const locator = {
  lookup_service: { type: 'ledger', value: 'hyperledger-fabric' },
  resource: `${profile.channel}/${profile.chaincode}`,
};

function operation(role: 'write' | 'read' | 'fail', key: string, value: string) {
  const called = functionOf(profile, role, { key, value });
  if (called === undefined) return undefined;
  return {
    glo: {
      version: '0.1.0',
      type: 'contract_call',
      options: { contract_instance: locator, method_name: called.name, args: called.args },
    },
  };
}

/** The plugin keeps keys of its own, so that its wallets need a CA to be certified by. */
const reason = organizationAt(profile).ca === undefined ? 'the profile has no CA' : undefined;

describe.skipIf(skipped(reason, 'the Fabric adapter, served'))('served', () => {
  describeCloudWallet({
    name: 'the Fabric adapter, served over the cloud wallet protocol',
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'served-fabric-'));
      const start = async () => {
        const adapter = await serveAdapter({
          definition: fabricAdapter,
          ledgers: [ledgerOf(profile)],
          database: join(folder, 'plugin.db'),
          masterKey: new Uint8Array(32).fill(3),
          pollMs: 20,
        });
        return { adapter, port: await listen(adapter.handle, { port: 0 }) };
      };
      let running = await start();
      const stop = async () => {
        await running.port.close();
        await running.adapter.close();
      };
      const [write, other] = [operation('write', freshKey(), '1'), operation('write', freshKey(), '2')];
      const refused = operation('fail', freshKey(), 'no');
      if (write === undefined || other === undefined)
        throw new RangeError('The profile has no function for write.');
      return {
        url: running.port.url,
        ledgerId: 'test',
        funded: 'from-the-start',
        samples: { operation: write, other, ...(refused === undefined ? {} : { refused }) },
        hooks: {
          crash: async () => {
            await stop();
            running = await start();
            return { url: running.port.url };
          },
        },
        patience: 30_000,
        close: async () => {
          await stop();
          rmSync(folder, { recursive: true });
        },
      };
    },
  });
});
