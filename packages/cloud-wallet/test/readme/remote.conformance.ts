import { describeCloudWallet } from '@ledger-ops/adapter-kit/cloud-wallet';

const transfer = (amount: string) => ({
  glo: {
    version: '0.1.0',
    type: 'transfer',
    options: {
      recipient: {
        lookup_service: { type: 'ledger', value: 'ethereum' },
        resource: '0x000000000000000000000000000000000000dEaD',
      },
      amount,
    },
  },
});

describeCloudWallet({
  name: 'my remote plugin',
  open: async () => ({
    url: 'http://127.0.0.1:8080',
    ledgerId: 'my-ledger',
    funded: 'from-the-start',
    samples: { operation: transfer('1'), other: transfer('2') },
    close: async () => undefined,
  }),
});
