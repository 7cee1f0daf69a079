import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCloudWallet } from '@ledger-ops/adapter-kit/cloud-wallet';
import { listen, serveAdapter } from '@ledger-ops/cloud-wallet';
import { afterAll, beforeAll, describe } from 'vitest';
import { tokenOf, viewOf } from './conformance-samples.ts';
import { openNetwork, skipped } from './network.ts';
import { functionOf, ledgerOf, organizationAt, userOf } from './profile.ts';
import { type Actor, callOf, enter, execute, freshKey } from './stage.ts';
import { testAdapter } from './test-adapter.ts';

const network = await openNetwork();
const { profile } = network;
afterAll(() => network.close());

const locator = (resource: string) => ({
  lookup_service: { type: 'ledger', value: 'hyperledger-fabric' },
  resource,
});

function callGlo({ name, args }: { name: string; args: readonly string[] }) {
  return {
    glo: {
      version: '0.1.0',
      type: 'contract_call',
      options: {
        contract_instance: locator(`${profile.channel}/${profile.chaincode}`),
        method_name: name,
        args: [...args],
      },
    },
  };
}

function operation(role: 'write' | 'fail', key: string, value: string) {
  const called = functionOf(profile, role, { key, value });
  return called === undefined ? undefined : callGlo(called);
}

/** Of the token: each wallet's first balance, and the amount of a transfer. */
const [funds, amount] = [1000n, 3n];
const transfer = {
  glo: {
    version: '0.1.0',
    type: 'transfer',
    options: { recipient: locator('Org1MSP/nobody'), amount: String(amount) },
  },
};

/** The plugin keeps keys of its own, so that its wallets need a CA to be certified by. */
const reason = organizationAt(profile).ca === undefined ? 'the profile has no CA' : undefined;

describe.skipIf(skipped(reason, 'the Fabric adapter, served'))('served', () => {
  let token: string | undefined;
  let view: Awaited<ReturnType<typeof viewOf>>;
  let minter: Actor;

  beforeAll(async () => {
    const member = userOf(profile);
    token = (await tokenOf(network, member))?.address;
    view = await viewOf(network, member);
    minter = await enter(profile, { member });
  });
  afterAll(() => minter?.session.close());

  const ofToken = (name: string, args: string[]) =>
    callOf(profile, { name, args }, { contract: { address: token ?? '' } });
  /** Gives a wallet what its transfers take, which tells how many of them were executed. */
  const hooks = {
    async fund(address: string) {
      const { status } = await execute(minter, ofToken('Transfer', [address, String(funds)]));
      if (status !== 'succeeded') throw new Error(`The transfer to ${address} ended as ${status}.`);
    },
    async executions(address: string) {
      const { result } = await minter.session.emulate({ operation: ofToken('BalanceOf', [address]) });
      return Number((funds - BigInt(String(result))) / amount);
    },
  };

  describeCloudWallet({
    name: 'the Fabric adapter, served over the cloud wallet protocol',
    async open() {
      const folder = mkdtempSync(join(tmpdir(), 'served-fabric-'));
      const properties = token === undefined ? {} : { transfer_contract: token, retry_conflicts: 10 };
      const start = async () => {
        const adapter = await serveAdapter({
          definition: testAdapter,
          ledgers: [ledgerOf(profile, { properties })],
          database: join(folder, 'plugin.db'),
          masterKey: new Uint8Array(32).fill(3),
          timing: { poll: { first: 20, longest: 1_000 } },
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
        funded: token === undefined ? 'from-the-start' : 'by-hook',
        samples: {
          operation: token === undefined ? write : transfer,
          other: token === undefined ? other : write,
          ...(refused === undefined ? {} : { refused }),
          ...(view.operation.method === undefined
            ? {}
            : { view: { operation: callGlo(view.operation.method), result: view.result } }),
        },
        hooks: {
          ...(token === undefined ? {} : hooks),
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
