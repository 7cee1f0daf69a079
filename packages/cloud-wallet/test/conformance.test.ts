import { cloudWalletChecks, describeCloudWallet } from '@ledger-ops/adapter-kit/cloud-wallet';
import { harnessLedger, openMemoryHarness } from '@ledger-ops/adapter-kit/memory-harness';
import { expect, test } from 'vitest';
import {
  config,
  coSignedGlo,
  deployment,
  emittingSample,
  startMemoryPlugin,
  storeCall,
  transferGlo,
  transferRecipient,
} from './memory-plugin.ts';

for (const sequence of ['account', 'none'] as const) {
  describeCloudWallet({
    name: `a remote plugin of an in-memory ledger with the capability sequence '${sequence}'`,
    async open() {
      const ledger = harnessLedger({ sequence, autoMine: true });
      const plugin = await startMemoryPlugin(ledger, 'the host');
      const { samples } = await openMemoryHarness(ledger);
      const store = samples.call?.contract.address ?? '';
      return {
        url: plugin.url,
        headers: { authorization: 'Bearer the host' },
        ledgerId: config.ledgerId,
        funded: 'by-hook',
        samples: {
          operation: { glo: transferGlo('3') },
          other: storeCall(store, 'set', ['key', 'value']),
          effects: [{ account: transferRecipient, adds: '3' }],
          deploy: deployment,
          refused: storeCall(store, 'fail', ['out of stock']),
          view: { operation: storeCall(store, 'get', ['nothing']), result: null },
          emitting: emittingSample(store),
          ...(sequence === 'none'
            ? { coSigned: { operation: { glo: coSignedGlo }, others: 2, payer: 1 } }
            : {}),
        },
        hooks: {
          fund: async (address) => ledger.fund(address, 10n ** 9n),
          crash: () => plugin.restart(),
          state: async (account) => ledger.balanceOf(account).toString(),
          executions: async (from) => ledger.executions({ from }),
        },
        close: () => plugin.close(),
      };
    },
  });
}

test('the names of the remote plugin checks are unique', () => {
  const names = cloudWalletChecks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});
