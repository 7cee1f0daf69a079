import { strict as assert } from 'node:assert';
import type { ContractEvent, ContractEvents, ContractEventsRequest } from '@ledger-ops/adapter';
import { type AdapterCheck, capability, hook, sample, withoutCapability } from '../check.ts';
import { assertRefused } from '../problem.ts';
import { type Actor, assertTaken, type Stage } from '../stage.ts';

const executions = 3;

/**
 * Checks about contract events: each is returned once, in order, and only from blocks that cannot be removed.
 */
export const eventChecks: readonly AdapterCheck[] = [
  {
    name: 'each event of a contract is returned once, in the order of the ledger, whatever the page size',
    needs: [capability('contractEvents'), sample('emitting')],
    async run(stage) {
      const actor = await stage.enter();
      const { operation, event } = stage.sample('emitting');
      const { after: start } = await read(stage, actor, null, 1);
      const outcomes = [];
      for (let done = 0; done < executions; done += 1) outcomes.push(await stage.execute(actor, operation));
      const last = outcomes.at(-1)?.outcome.height ?? 0;
      const all = await readUntil(stage, actor, start, last, 100);
      assert.deepStrictEqual(
        all.map(({ name, args }) => ({ ...(name && { name }), ...(args && { args }) })),
        outcomes.map(() => event),
        'the page does not contain one event per execution, decoded with the interface',
      );
      assert.deepStrictEqual(
        all.map(({ height, blockHash }) => ({ height, blockHash })),
        outcomes.map(({ outcome: { height, blockHash } }) => ({ height, blockHash })),
        'the events are not in the blocks of their transactions, in order',
      );
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length, 'two events have the same id');
      assert.deepStrictEqual(
        await readUntil(stage, actor, start, last, 1),
        all,
        'reading one event per page does not return the same events with the same ids',
      );
      const { interface: text } = operation.contract;
      const { eventNames } = text === undefined ? {} : await stage.definition.readInterface(text);
      assert.deepStrictEqual(
        eventNames === undefined
          ? []
          : all.flatMap(({ name = '' }) => (eventNames.includes(name) ? [] : name)),
        [],
        'events have names that the interface does not list in eventNames',
      );
      const { after } = await read(stage, actor, null, 1);
      assert.ok(
        after.height >= last,
        'without a position, reading does not start at the newest confirmed block',
      );
    },
  },
  {
    name: 'an event is returned only once its block has the required depth',
    needs: [capability('contractEvents'), sample('emitting'), hook('mine'), hook('reorganise')],
    async run(stage) {
      const actor = await stage.enter({ confirmations: 3 });
      const { session } = actor;
      await stage.hook('mine')(4);
      const { after } = await read(stage, actor, null, 10);
      const { main } = await stage.sign(actor, stage.sample('emitting').operation);
      assertTaken(await session.submit([main]));
      await stage.hook('mine')(2);
      const early = await read(stage, actor, after, 10);
      assert.deepStrictEqual(
        early.events,
        [],
        'a page contains an event of a block that may still be removed',
      );
      await stage.hook('mine')(1);
      const { events } = await read(stage, actor, early.after, 10);
      assert.equal(events.length, 1, 'the event is not returned at the required depth');
    },
  },
  {
    name: "contractEvents() without the capability 'contractEvents' is rejected as unsupported-operation",
    needs: [withoutCapability('contractEvents')],
    async run(stage) {
      const { session } = await stage.enter();
      const request = { contract: { address: 'none' }, after: null, limit: 1 };
      const answer = session.contractEvents?.(request);
      if (answer === undefined) return;
      await assertRefused(answer, 'contractEvents()', { codes: ['unsupported-operation'] });
    },
  },
];

async function read(
  stage: Stage,
  { session }: Actor,
  after: ContractEventsRequest['after'],
  limit: number,
): Promise<ContractEvents> {
  const { contract } = stage.sample('emitting').operation;
  const { address } = contract;
  assert.ok(
    address !== null && session.contractEvents !== undefined,
    'the sample contract does not exist, or the session has no contractEvents()',
  );
  const answer = await session.contractEvents({ contract: { ...contract, address }, after, limit });
  assert.ok(answer.events.length <= limit, 'a page has more events than requested');
  assert.notEqual(answer.lost, true, 'contractEvents() reports that the block at the position was removed');
  return answer;
}

/** Reads pages until the events of a block have arrived. */
async function readUntil(
  stage: Stage,
  actor: Actor,
  start: ContractEventsRequest['after'],
  height: number,
  limit: number,
): Promise<ContractEvent[]> {
  const events: ContractEvent[] = [];
  let after = start;
  for (let pages = 0; pages <= 100 * executions; pages += 1) {
    const page = await read(stage, actor, after, limit);
    events.push(...page.events);
    after = page.after;
    if (!page.more && after.height >= height) return events;
  }
  throw new assert.AssertionError({
    message: `with ${limit} events per page, reading stopped before block ${height}`,
  });
}
