import { strict as assert } from 'node:assert';
import type { ContractEvent, ContractEvents, ContractEventsRequest } from '@ledger-ops/adapter';
import { type AdapterCheck, capability, hook, sample, withoutCapability } from '../check.ts';
import { assertRefused } from '../problem.ts';
import { type Actor, assertTaken, type Stage } from '../stage.ts';

const executions = 3;

/** Clauses about contract events: each occurs once, in order, and none can be undone. */
export const eventChecks: readonly AdapterCheck[] = [
  {
    name: 'events of a contract are returned once each, in the order of the ledger, on pages of any size',
    needs: [capability('contractEvents'), sample('telling')],
    async run(stage) {
      const actor = await stage.enter();
      const { operation, event } = stage.sample('telling');
      const { after: start } = await read(stage, actor, null, 1);
      const outcomes = [];
      for (let done = 0; done < executions; done += 1) outcomes.push(await stage.execute(actor, operation));
      const last = outcomes.at(-1)?.outcome.height ?? 0;
      const all = await readUntil(stage, actor, start, last, 100);
      assert.deepStrictEqual(
        all.map(({ name, args }) => ({ ...(name && { name }), ...(args && { args }) })),
        outcomes.map(() => event),
        'each execution emits its event, decoded with the interface',
      );
      assert.deepStrictEqual(
        all.map(({ height, blockHash }) => ({ height, blockHash })),
        outcomes.map(({ outcome: { height, blockHash } }) => ({ height, blockHash })),
        'events are in the blocks of their transactions, in order',
      );
      assert.equal(new Set(all.map(({ id }) => id)).size, all.length, 'each event has a unique id');
      assert.deepStrictEqual(
        await readUntil(stage, actor, start, last, 1),
        all,
        'pages of one event each return the same list with the same ids',
      );
      const { interface: text } = operation.contract;
      const { eventNames } = text === undefined ? {} : await stage.definition.readInterface(text);
      assert.deepStrictEqual(
        eventNames === undefined
          ? []
          : all.flatMap(({ name = '' }) => (eventNames.includes(name) ? [] : name)),
        [],
        'the interface names the events that it decodes, or none at all',
      );
      const { after } = await read(stage, actor, null, 1);
      assert.ok(after.height >= last, 'without a position, reading starts at the newest confirmed block');
    },
  },
  {
    name: 'an event is returned when its block has the required depth, and not before',
    needs: [capability('contractEvents'), sample('telling'), hook('mine'), hook('reorganise')],
    async run(stage) {
      const actor = await stage.enter({ confirmations: 3 });
      const { session } = actor;
      await stage.hook('mine')(4);
      const { after } = await read(stage, actor, null, 10);
      const { main } = await stage.sign(actor, stage.sample('telling').operation);
      assertTaken(await session.submit([main]));
      await stage.hook('mine')(2);
      const early = await read(stage, actor, after, 10);
      assert.deepStrictEqual(early.events, [], 'nothing is returned from a block that may still be removed');
      await stage.hook('mine')(1);
      const { events } = await read(stage, actor, early.after, 10);
      assert.equal(events.length, 1, 'the event is returned at the required depth');
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
  const { contract } = stage.sample('telling').operation;
  const { address } = contract;
  assert.ok(
    address !== null && session.contractEvents !== undefined,
    'the sample contract exists, and the session has contractEvents()',
  );
  const answer = await session.contractEvents({ contract: { ...contract, address }, after, limit });
  assert.ok(answer.events.length <= limit, 'a page has no more events than requested');
  assert.notEqual(answer.lost, true, 'the chain still has the block of the position');
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
  throw new assert.AssertionError({ message: `pages of ${limit} events do not reach block ${height}` });
}
