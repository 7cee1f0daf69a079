import type { ResolvedOperation } from '@ledger-ops/adapter';
import { keyValueContract } from '@ledger-ops/adapter-kit/memory';
import type { Store } from '@ledger-ops/store';
import type { OpenTestStore } from '@ledger-ops/store/testing';
import { expect, vi } from 'vitest';
import { Reader } from '../src/contract-events/reader.ts';
import { insertSubscription } from '../src/contract-events/rows.ts';
import type { ContractEventTiming } from '../src/contract-events/timing.ts';
import type { Ledgers } from '../src/ledgers.ts';
import type { FaultPoint, Faults } from '../src/rows/faults.ts';
import { crashAt } from './crashing-store.ts';
import { startEngine } from './engine-harness.ts';

const native = { technology: 'ethereum', content: {} } as const;
const timing = { look: 5, poll: 5, lease: 500, longest: 60_000, again: { first: 5, longest: 50 } };
const events = 4;
const wait = { timeout: 30_000 };

/** Deploys a contract on a memory ledger and subscribes to all of its events. */
export async function subscribe(store: Store) {
  const harness = await startEngine({ store });
  const wallet = await harness.wallet();
  const execute = async (operation: ResolvedOperation) => {
    await harness.ended([await harness.send(wallet, operation)]);
    return harness.ledger.transactions.at(-1);
  };
  const deployed = await execute({
    ...{ type: 'contract_deploy', source: keyValueContract, args: [], value: 0n, native },
  });
  const address = deployed?.execution.contractAddress ?? '';
  await store.transaction(async (tx) => {
    await tx.db.insert(tx.t.contract).values({
      ...{
        uid: 'contract',
        id: 1,
        contractId: 'store',
        groupId: 'group',
        projectId: 'project',
        name: 'store',
      },
      ...{
        interface: '',
        parsedInterface: keyValueContract.interface,
        ledgerUid: 'ledger',
        ledgerId: 'ledger',
      },
      ...{ nativeReference: address, specificationUid: null, types: '[]', createdAt: 0 },
    });
    await insertSubscription(tx, {
      ...{ uid: 'subscription', project_id: 'project', contract_uid: 'contract', contract_id: 'store' },
      ...{
        ledger_uid: 'ledger',
        ledger_id: 'ledger',
        events: null,
        genesis: harness.ledger.identity.genesis,
      },
      ...{ height: 0, hash: null, event_index: null, status: 'ACTIVE', reason: null },
      ...{ failures: 0, failing_since: null, error: null, behind: null, behind_since: null, created_at: 0 },
    });
  });
  const opened = () => harness.opened();
  const read = (
    of: Store,
    faults: Faults,
    open: Ledgers['open'] = opened,
    more: Partial<ContractEventTiming> = {},
  ) => {
    const reader = new Reader({
      ...{ store: of, faults, timing: { ...timing, ...more }, log: () => undefined },
      ledgers: { open },
    });
    reader.start();
    return reader;
  };
  const set = (value: string) =>
    execute({
      ...{
        type: 'contract_call',
        contract: { address },
        method: { name: 'set(string,string)', args: ['key', value] },
      },
      ...{ value: 0n, native },
    });
  return { ledger: harness.ledger, opened, read, set };
}

/** Crashes a server that reads a contract's events, and checks that the next server stores each event exactly once. */
export async function crashDuringEvents(
  open: OpenTestStore,
  point: FaultPoint,
  times: number,
): Promise<void> {
  const store = await open();
  const { read, set } = await subscribe(store);
  const crash = crashAt(store, point, times);
  const first = read(crash.store, crash.faults);
  for (let sent = 0; sent < events; sent += 1) await set(`${sent}`);
  await crash.ended;
  await first.stop().catch(() => undefined);
  const second = read(store, () => undefined);
  const stored = () =>
    store.read.all<{ uid: string; data: string }>('SELECT uid, data FROM contract_event ORDER BY uid');
  await vi.waitFor(async () => expect(await stored()).toHaveLength(events), wait);
  await second.stop();
  const rows = await stored();
  expect(rows.map(({ data }) => JSON.parse(data).args.value)).toEqual(['0', '1', '2', '3']);
  const bundles = await store.read.all<{ activities: string }>(
    'SELECT activities FROM timeline_bundle ORDER BY uid',
  );
  const recorded = bundles.flatMap(({ activities }) => JSON.parse(activities) as unknown[][]);
  // Each event has exactly one timeline record.
  expect(rows.map(({ uid }) => recorded.filter((activity) => activity.includes(uid)).length)).toEqual(
    rows.map(() => 1),
  );
}
