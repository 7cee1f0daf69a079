// Runs one job on every network of the Ethereum family. Node profiles imitate the networks.
import { afterAll, beforeAll, test } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import { type Receiver, startReceiver } from '../events/receiver.ts';
import { createProduct, type Product } from '../job/product.ts';
import { clients } from './ethereum/clients.ts';
import { providers } from './ethereum/providers.ts';
import { relays } from './ethereum/relays.ts';
import { rollups } from './ethereum/rollups.ts';
import { sidechains } from './ethereum/sidechains.ts';
import { runJob } from './ethereum-job.ts';

const all = [...clients, ...sidechains, ...rollups, ...relays, ...providers];
/** `npm test` runs only a rollup, because its nodes differ most from the others. */
const networks = selectCases(all, ({ name }) => name === 'op-stack');

let product: Product;
let template: string;
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
  product = createProduct({
    webhookTiming: { look: 50, lease: 1_000, again: { first: 50, longest: 500 } },
    contractEventTiming: { look: 20, poll: 50, lease: 1_000, again: { first: 20, longest: 200 } },
    timing: {
      tick: 200,
      idleConfirm: 1_000,
      resend: 600,
      lookForGaps: 2_000,
      patience: 2_000,
      idlePatience: 6_000,
      slowPatience: 24_000,
      replaceAgain: 400,
      changeAgain: 400,
    },
  });
  await product.start();
  template = await product.template();
  const { body } = await product.call<{ secret: string }>('POST', '/v1/webhooks', {
    url: receiver.url,
    types: ['contract.event'],
  });
  receiver.secret = body.secret;
});
afterAll(async () => {
  await product?.stop();
  await receiver?.close();
});

test.each(networks)(
  '$name: transfers, a deployment, calls, events, a revert, a replacement and 50 sends before a crash each happen once',
  (network) => runJob(product, receiver, network, template),
);
