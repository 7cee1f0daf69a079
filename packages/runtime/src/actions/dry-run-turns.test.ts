import { expect, it } from 'vitest';
import { createDryRunTurns } from './dry-run-turns.ts';

const caller = (organizationUid: string) => ({
  organizationUid,
  projectUid: 'project',
  serviceId: 'account',
});
it('lets dry runs of one organization hold up neither those of another nor other ledgers', async () => {
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
  // A bounded number is under way, and another ledger has turns of its own.
  expect(started).toHaveLength(33);
  expect(started.at(-1)).toBe('elsewhere');
  for (let n = 0; n < 2; n += 1) {
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(started.slice(33)).toContain('one');
  while (started.length < 202 || ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  const full = Array.from({ length: 1_033 }, (_, n) => turns(caller('many'), busy, ask(`again ${n}`)));
  await expect(full.at(-1)).rejects.toMatchObject({
    problem: 'too-many-requests',
    message: expect.stringContaining('dry runs are waiting for this ledger'),
  });
});
