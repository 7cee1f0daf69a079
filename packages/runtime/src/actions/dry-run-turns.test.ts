import { expect, it } from 'vitest';
import { createDryRunTurns } from './dry-run-turns.ts';

const caller = (organizationUid: string) => ({
  organizationUid,
  projectUid: 'project',
  serviceId: 'account',
});
it('dry runs of one organization do not delay other organizations or other ledgers', async () => {
  const turns = createDryRunTurns();
  const [busy, other] = [{}, {}];
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string) => () =>
    new Promise<void>((resolve) => {
      started.push(name);
      ends.push(resolve);
    });
  const all = Array.from({ length: 200 }, (_, n) => turns(caller('many'), busy, ask(`many ${n}`)));
  all.push(turns(caller('one'), busy, ask('one')), turns(caller('many'), other, ask('elsewhere')));
  // One organization gets only part of a ledger's capacity, and the capacity of each ledger is separate.
  expect(started.slice(0, 16)).toEqual(Array.from({ length: 16 }, (_, n) => `many ${n}`));
  expect(started.slice(16)).toEqual(['one', 'elsewhere']);
  while (started.length < 202 || ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  const full = Array.from({ length: 1_017 }, (_, n) => turns(caller('many'), busy, ask(`again ${n}`)));
  await expect(full.at(-1)).rejects.toMatchObject({
    problem: 'too-many-requests',
    message: expect.stringContaining('dry runs are already waiting for this ledger'),
  });
});
