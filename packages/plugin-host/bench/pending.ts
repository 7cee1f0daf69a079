import { createFrameReader, encodeFrame } from '../src/messages/frame.ts';
import { createDeltaWriter, PendingTransactions } from '../src/messages/pending-delta.ts';

/**
 * Measures sending pending transactions to a child process with each block: the whole map, or only changes.
 * Prints milliseconds per block, for both sides together. Run with `node --conditions=@ledger-ops/source
 * bench/pending.ts`.
 */
const waiting = 10_000;
const changedPerBlock = 300;
const blocks = 50;

const one = (sequence: number) => ({ address: `0x${'ab'.repeat(20)}`, sequence: BigInt(sequence) });
const id = (number: number) => `0x${number.toString(16).padStart(64, '0')}`;
const waitingMap = () => new Map([...Array(waiting).keys()].map((number) => [id(number), one(number)]));
const cross = (message: unknown): unknown => {
  let read: unknown;
  const frame = encodeFrame(message);
  const steps = createFrameReader(1 << 30, {
    message: (seen) => {
      read = seen;
    },
    fault: (detail) => console.error(detail),
  })(frame);
  for (const _ of steps);
  return read;
};

async function perBlock(
  name: string,
  run: (pending: ReadonlyMap<string, ReturnType<typeof one>>) => Promise<unknown>,
): Promise<void> {
  const pending = waitingMap();
  let spent = 0;
  for (let block = 0; block < blocks; block += 1) {
    for (let change = 0; change < changedPerBlock; change += 1) {
      const number = block * changedPerBlock + change;
      pending.delete(id(number));
      pending.set(id(number + waiting), one(number + waiting));
    }
    const start = performance.now();
    await run(pending);
    spent += performance.now() - start;
  }
  console.log(`${name}: ${(spent / blocks).toFixed(2)} ms per block`);
}

const write = createDeltaWriter();
const child = new PendingTransactions();
await perBlock('the whole map', async (pending) => cross(pending));
await perBlock('what changed', async (pending) => {
  // The delta after serialization.
  const delta = cross(write(pending)) as ReturnType<typeof write>;
  await child.read(delta, async () => undefined);
});
