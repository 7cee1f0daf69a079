import {
  adapterError,
  type Capabilities,
  type LedgerSession,
  type SequencesOptions,
} from '@ledger-ops/adapter';
import { createMemoryLedger, memoryAdapter } from '@ledger-ops/adapter-kit/memory';
import { expect, test } from 'vitest';
import { OpenLedger } from '../../open-ledger.ts';
import { countByAll } from './lost-transactions.ts';

/** Returns a ledger on `chain` whose session reads transaction counts with `sequences`. */
async function ledgerOf(
  ledgerId: string,
  sequences: LedgerSession['sequences'],
  sequence: Capabilities['sequence'] = 'account',
): Promise<{ open: OpenLedger }> {
  const adapter = memoryAdapter(createMemoryLedger({ sequence }));
  const config = { ledgerId, technology: 'ethereum' as const, properties: {} };
  const host = { now: Date.now, log: () => {}, signal: new AbortController().signal };
  const session = await adapter.open({ ...config, nodes: [] }, host);
  const of = { uid: ledgerId, id: 1, projectUid: null, name: ledgerId, active: true, revision: 1 };
  const record = { ...config, ...of, nodes: [] };
  const open = new OpenLedger({
    record,
    definition: adapter,
    session: { ...session, sequences },
    pluginUid: 'p',
  });
  return { open };
}

test('queries every node of every ledger on a chain, and returns the highest transaction count of each account', async () => {
  const asked: (SequencesOptions | undefined)[] = [];
  const counting = (counts: bigint[]) => async (_: string[], options?: SequencesOptions) => {
    asked.push(options);
    return counts;
  };
  const tracker = await ledgerOf('own', counting([0n, 4n]));
  const others = await Promise.all([
    ledgerOf('other', counting([2n, 3n])),
    // This ledger is not queried, because its transactions have no sequences.
    ledgerOf('fabric', () => Promise.reject(new Error('No sequences.')), 'none'),
  ]);
  expect(await countByAll(tracker, others)(['a', 'b'])).toEqual([2n, 4n]);
  expect(asked).toEqual([{ everyNode: true }, { everyNode: true }]);
});

test('fails if a node does not return its transaction counts, and names only nodes of the requesting ledger', async () => {
  const silent = await ledgerOf('silent', async () => {
    throw adapterError('unavailable', 'Node n7 is silent.', { phase: 'check' });
  });
  const honest = await ledgerOf('honest', async () => [0n]);
  const refusal = { problem: 'ledger-unavailable' };
  await expect(countByAll(silent, [honest])(['a'])).rejects.toMatchObject({
    ...{ ...refusal, message: expect.stringMatching(/: Node n7 is silent\.$/) },
  });
  await expect(countByAll(honest, [silent])(['a'])).rejects.toMatchObject({
    ...{
      ...refusal,
      message: expect.stringMatching(
        /: A node of another ledger on the chain does not report its transaction counts\.$/,
      ),
    },
  });
});
