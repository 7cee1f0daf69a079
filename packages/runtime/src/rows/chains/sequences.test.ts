import { describeDialects } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { advanceSequences, readSequence, SequenceMoved } from './sequences.ts';

const chain = '31337';

describeDialects('next sequences of accounts', (open) => {
  it('one transaction advances the next sequences of both new and known accounts', async () => {
    const store = await open();
    const advance = (moves: Parameters<typeof advanceSequences>[2]) =>
      store.transaction((tx) => advanceSequences(tx, chain, moves));
    await advance([{ address: '0xa', from: null, to: 2 }]);
    await advance([
      { address: '0xa', from: 2, to: 5 },
      { address: '0xb', from: null, to: 1 },
    ]);
    const next = (address: string) => readSequence(store.read, chain, address);
    expect(await Promise.all(['0xa', '0xb', '0xc'].map(next))).toEqual([5, 1, null]);
  });

  it.each([
    ['was advanced by another server', { address: '0xa', from: 1, to: 3 }],
    ['has a row already', { address: '0xa', from: null, to: 3 }],
    ['has no row', { address: '0xc', from: 0, to: 1 }],
  ])('no next sequence is advanced if one account %s', async (_, moved) => {
    const store = await open();
    await store.transaction((tx) =>
      advanceSequences(
        tx,
        chain,
        ['0xa', '0xb'].map((address) => ({ address, from: null, to: 2 })),
      ),
    );
    const both = store.transaction((tx) =>
      advanceSequences(tx, chain, [{ address: '0xb', from: 2, to: 4 }, moved]),
    );
    await expect(both).rejects.toBeInstanceOf(SequenceMoved);
    expect(await readSequence(store.read, chain, '0xb')).toBe(2);
  });
});
