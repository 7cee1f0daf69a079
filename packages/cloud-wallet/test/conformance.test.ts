import { cloudWalletChecks, describeCloudWallet } from '@ledger-ops/adapter-kit/cloud-wallet';
import { harnessLedger, openMemoryHarness } from '@ledger-ops/adapter-kit/memory-harness';
import { expect, test } from 'vitest';
import { config, coSignedGlo, serveMemory, storeCall, tellingSample, transferGlo } from './served-memory.ts';

for (const sequence of ['account', 'none'] as const) {
  describeCloudWallet({
    name: `the memory adapter with sequences per ${sequence}, served over the cloud wallet protocol`,
    async open() {
      const ledger = harnessLedger({ sequence, autoMine: true });
      const served = await serveMemory({ bearer: 'the host' }, ledger);
      const { samples } = await openMemoryHarness(served.ledger);
      const store = samples.call?.contract.address ?? '';
      return {
        url: served.url,
        headers: { authorization: 'Bearer the host' },
        ledgerId: config.ledgerId,
        funded: 'by-hook',
        samples: {
          operation: { glo: transferGlo('3') },
          other: storeCall(store, 'set', ['key', 'value']),
          refused: storeCall(store, 'fail', ['out of stock']),
          view: { operation: storeCall(store, 'get', ['nothing']), result: null },
          telling: tellingSample(store),
          ...(sequence === 'none'
            ? { coSigned: { operation: { glo: coSignedGlo }, others: 2, payer: 1 } }
            : {}),
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
}

test('the names of the checks are unique', () => {
  const names = cloudWalletChecks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
