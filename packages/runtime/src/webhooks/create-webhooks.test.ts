import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Auth } from '@ledger-ops/auth';
import { createMasterKey } from '@ledger-ops/base';
import { StoreError } from '@ledger-ops/store';
import { describeDialects } from '@ledger-ops/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { EventLog } from '../events/types.ts';
import { createWebhooks } from './create-webhooks.ts';

describeDialects('webhooks', (open) => {
  test('webhooks send nothing after they are stopped, even if the database was unavailable', async () => {
    const receiver = createServer((request, response) => {
      request.resume();
      response.writeHead(204).end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    onTestFinished(() => {
      receiver.closeAllConnections();
      receiver.close();
    });
    const store = await open();
    let isAway = false;
    const { webhooks, stop } = createWebhooks({
      store: {
        ...store,
        transaction(work) {
          if (isAway) throw new StoreError('unavailable', 'The database is unavailable.');
          return store.transaction(work);
        },
      },
      // The webhook service uses no other method of auth in this test.
      auth: { demand: async () => undefined } as Partial<Auth> as Auth,
      events: { latest: async () => 0 } as Partial<EventLog> as EventLog,
      masterKey: createMasterKey(new Uint8Array(32)),
      outbound: { open: ['127.0.0.1'] },
      ...{ source: 'https://service.example', now: Date.now, log: () => {} },
    });
    const principal = {
      ...{ appUid: 'app', appId: 'app', projectUid: 'project', projectId: 'project' },
      ...{ organizationUid: 'organization', serviceId: 'service', identityType: 'SERVICE' as const },
    };
    // The receiver listens on a port, so its address is an AddressInfo.
    const { port } = receiver.address() as AddressInfo;
    const { id } = await webhooks.create(principal, {
      ...{ url: `http://127.0.0.1:${port}/`, description: null, format: 'standard' },
      filter: { types: null, ledgers: null, wallets: null },
    });
    expect(await webhooks.test(principal, id)).toMatchObject({ status: 204 });
    isAway = true;
    await expect(stop()).rejects.toThrow('unavailable');
    isAway = false;
    expect(await webhooks.test(principal, id)).toMatchObject({ status: null });
  });
});
