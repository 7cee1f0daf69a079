import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeCloudWallet } from '@ledger-ops/adapter-kit/cloud-wallet';
import { listen, serveAdapter } from '@ledger-ops/cloud-wallet';
import { type Anvil, startAnvil, tokenTemplate } from '@ledger-ops/devnet';
import { afterAll, beforeAll } from 'vitest';
import { ethereumAdapter } from '../src/index.ts';
import { contracts, deploy, keyOf, ledgerOf, openSession } from './stage.ts';

let node: Anvil;
let fixture: string;
let token: string;

beforeAll(async () => {
  node = await startAnvil({ blockTime: 0.05 });
  const deployer = await openSession(ledgerOf([node.url]), keyOf(node, 9));
  fixture = await deploy(deployer, contracts.Fixture, ['7', 'hello']);
  token = await deploy(deployer, tokenTemplate, ['Token', 'TOK', '1000']);
  await deployer.session.close();
});
afterAll(() => node?.stop());

const locator = (resource: string) => ({
  lookup_service: { type: 'ledger', value: 'ethereum' },
  resource,
});
const recipient = '0x00000000000000000000000000000000C0FFEE01';
const transfer = (amount: string) => ({
  glo: {
    version: '0.1.0',
    type: 'transfer',
    options: { recipient: locator(recipient), amount },
  },
});
/** By its signature, without the interface: its event names the sender, which is another one each time, and comes as it is. */
const tell = () => ({
  glo: {
    version: '0.1.0',
    type: 'contract_call',
    options: {
      ...{ contract_instance: locator(token), method_name: 'transfer(address,uint256)' },
      args: [recipient, '0'],
    },
  },
});
const call = (method_name: string, args: string[]) => ({
  glo: {
    version: '0.1.0',
    type: 'contract_call',
    options: { contract_instance: locator(fixture), method_name, args },
  },
  contractInterface: contracts.Fixture.interface,
});

describeCloudWallet({
  name: 'the Ethereum adapter, served over the cloud wallet protocol',
  async open() {
    const folder = mkdtempSync(join(tmpdir(), 'served-ethereum-'));
    const start = async () => {
      const adapter = await serveAdapter({
        definition: ethereumAdapter,
        ledgers: [ledgerOf([node.url], { chain_id: 31337 })],
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
    return {
      url: running.port.url,
      ledgerId: 'test',
      funded: 'by-hook',
      samples: {
        operation: transfer('3'),
        other: call('set', ['5']),
        refused: call('failWithText', ['no']),
        view: { operation: call('overloaded(uint256,uint256)', ['40', '2']), result: '42' },
        telling: { operation: tell(), contractAddress: token, event: {}, silent: recipient },
      },
      hooks: {
        fund: async (address) => {
          await node.rpc('anvil_setBalance', [address, '0x56bc75e2d63100000']);
        },
        crash: async () => {
          await stop();
          running = await start();
          return { url: running.port.url };
        },
        executions: async (address) => Number(await node.rpc('eth_getTransactionCount', [address, 'latest'])),
      },
      close: async () => {
        await stop();
        rmSync(folder, { recursive: true });
      },
    };
  },
});
