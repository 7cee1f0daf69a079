// Background jobs that send requests, and how to make each one send them.
import { expect, vi } from 'vitest';
import { ended, nobody, transferBody } from '../stage/api.ts';
import type { stalledJobs } from './job-names.ts';
import { type Side, type StallGround, walletPassword } from './stall-ground.ts';

/** A background job that sends requests. */
export interface BackgroundJob {
  readonly name: (typeof stalledJobs)[number];
  /** The peers to which it sends them. */
  readonly peers: 'nodes' | 'receivers' | 'plugins';
  /** Prepares work for the job while all peers respond. */
  readonly prepare?: (side: Side) => Promise<void>;
  /** Starts the work. By default, the job starts it on its own. */
  readonly start?: (side: Side) => Promise<unknown>;
  /** Resolves when the job has done its work for the organization whose peers respond. */
  readonly works: (ground: StallGround) => Promise<void>;
}

const patience = { timeout: 60_000, interval: 50 };

async function transfer({ api, walletId }: Side): Promise<void> {
  const { actionId = '' } = await api.expect(
    201,
    'POST',
    '/v1/ledger-ops/send',
    transferBody(walletId, nobody),
  );
  expect((await ended(api, actionId)).status).toBe('SUCCEEDED');
}

const suspensionIds = new Map<Side, string>();

async function addUnsigned(side: Side): Promise<void> {
  const { api, walletId } = side;
  const body = { walletId, reason: 'Maintenance.' };
  const { suspensionId = '' } = await api.expect(201, 'POST', '/v1/ledger-ops/suspensions', body);
  suspensionIds.set(side, suspensionId);
  await api.expect(201, 'POST', '/v1/ledger-ops/send', transferBody(walletId, nobody));
}

/** Calls the contract, so that it emits an event. */
async function emit({ api, groupId, contractId, walletId }: Side): Promise<void> {
  const path = `/v1/contract-groups/${groupId}/instances/${contractId}/methods/transfer`;
  const body = { walletId, walletPassword, arguments: [nobody, '1'] };
  const { actionId = '' } = await api.expect(201, 'POST', path, body);
  await ended(api, actionId);
}

export const backgroundJobs: readonly BackgroundJob[] = [
  { name: 'follow ledgers', peers: 'nodes', works: ({ quiet }) => transfer(quiet) },
  {
    name: 'sign actions',
    peers: 'nodes',
    prepare: addUnsigned,
    start: (side) => side.api.call('DELETE', `/v1/ledger-ops/suspensions/${suspensionIds.get(side)}`),
    async works({ quiet }) {
      await quiet.api.expect(204, 'DELETE', `/v1/ledger-ops/suspensions/${suspensionIds.get(quiet)}`);
      await transfer(quiet);
    },
  },
  {
    name: 'read contract events',
    peers: 'nodes',
    async works({ here, quiet }) {
      const stored = async () =>
        (
          await here.server.store.read.all(
            'SELECT event_id FROM contract_event WHERE subscription_uid = $1',
            [quiet.subscriptionId],
          )
        ).length;
      const before = await stored();
      await emit(quiet);
      await vi.waitFor(async () => expect(await stored()).toBeGreaterThan(before), patience);
    },
  },
  {
    name: 'deliver webhooks',
    peers: 'receivers',
    start: transfer,
    async works({ quiet, calm }) {
      const before = calm.requestsTo(quiet.receiver);
      await transfer(quiet);
      await vi.waitFor(() => expect(calm.requestsTo(quiet.receiver)).toBeGreaterThan(before), patience);
    },
  },
  {
    name: 'probe remote plugins',
    peers: 'plugins',
    // Loads the plugin; from then on it is probed.
    prepare: async ({ api, groupId, contractId }) => {
      await api.expect(200, 'GET', `/v1/contract-groups/${groupId}/instances/${contractId}/methods`);
    },
    async works({ quiet: { api, ledgerId } }) {
      const path = `/v1/plugins/selection?ledgerId=${ledgerId}`;
      const { chosen } = await api.expect<{ chosen: { canServe: boolean } }>(200, 'GET', path);
      expect(chosen.canServe).toBe(true);
    },
  },
];
