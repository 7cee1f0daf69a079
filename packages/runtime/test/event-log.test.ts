import type { Auth } from '@ledger-ops/auth';
import { describeDialects } from '@ledger-ops/store/testing';
import { expect, test } from 'vitest';
import { createEventLog } from '../src/events/event-log.ts';

// These tests do not check permissions, so auth is not used.
const unusedAuth = {} as Auth;
const now = 1_800_000_000_000;
const hour = 3_600_000;

describeDialects('replay of events from a point in time', (open) => {
  test('a replay from a time contains all events since then, even if the earliest one has a later position', async () => {
    const store = await open();
    const records = [
      { action: 'accept', seq: 3, performed_at: now - 2 * hour },
      { action: 'accept', seq: 5, performed_at: now - hour + 70_000 },
      { action: 'accept', seq: 6, performed_at: now - hour + 69_999 },
      { action: 'succeed', seq: 7, performed_at: now - hour + 70_001 },
    ];
    const rows = records.map((record) => ({
      ...{
        uid: `record-${record.seq}`,
        registered_at: now,
        identity: '',
        app_id: '',
        project_id: '',
        scope: '',
      },
      ...{ resource_uid: '', resource_id: '', resource_type: 'wallet', permission: 'wallet:read' },
      ...{ service: 'ledger-operations', target_object: '', ...record },
    }));
    await store.transaction((tx) =>
      tx.insertMany(
        'timeline',
        Object.keys(rows[0] ?? {}),
        rows.map((row) => Object.values(row)),
      ),
    );
    const { placeAt } = createEventLog({
      ...{ store, timeline: { latest: async () => 9 }, now: () => now },
      auth: unusedAuth,
    });
    expect(await placeAt(now - hour)).toBe(3);
    expect(await placeAt(now - 3 * hour)).toBe(0);
    expect(await placeAt(now)).toBe(7);
  });
});
