import { cloudWalletChecks, describeCloudWallet } from '@ledger-ops/adapter-kit/cloud-wallet';
import { keyValueContract } from '@ledger-ops/adapter-kit/memory';
import { openMemoryHarness } from '@ledger-ops/adapter-kit/memory-harness';
import { expect, test } from 'vitest';
import { config, serveMemory, transferGlo } from './served-memory.ts';

describeCloudWallet({
  name: 'the memory adapter, served over the cloud wallet protocol',
  async open() {
    const served = await serveMemory({ bearer: 'the host' });
    const { samples } = await openMemoryHarness(served.ledger);
    const store = samples.call?.contract.address ?? '';
    const call = (method_name: string, args: string[]) => ({
      glo: {
        version: '0.1.0',
        type: 'contract_call',
        options: {
          contract_instance: { lookup_service: { type: 'ledger', value: 'memory' }, resource: store },
          method_name,
          args,
        },
      },
      contractInterface: keyValueContract.interface,
    });
    return {
      url: served.url,
      headers: { authorization: 'Bearer the host' },
      ledgerId: config.ledgerId,
      funded: 'by-hook',
      samples: {
        operation: { glo: transferGlo('3') },
        other: call('set', ['key', 'value']),
        refused: call('fail', ['out of stock']),
        view: { operation: call('get', ['nothing']), result: null },
      },
      hooks: {
        fund: async (address) => served.ledger.fund(address, 10n ** 9n),
        crash: () => served.restart(),
        executions: async (from) => served.ledger.executions({ from }),
      },
      close: () => served.close(),
    };
  },
});

test('the names of the checks are unique', () => {
  const names = cloudWalletChecks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
