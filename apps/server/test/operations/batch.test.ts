import { openPostgres, type PostgresCluster } from '@ledger-ops/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { selectCases } from '../../../../testing/faults.ts';
import {
  addTenant,
  addTokenTemplate,
  addWallet,
  ended,
  type Installation,
  install,
  type Tenant,
  transferBody,
} from '../stage/api.ts';

const path = '/v1/ledger-ops/batch';
const other = '0x000000000000000000000000000000000000bEEF';
let place: Installation;
let tenant: Tenant;
let postgres: PostgresCluster;

beforeAll(async () => {
  postgres = await openPostgres();
});
afterAll(() => postgres?.stop());

interface Result {
  name?: string;
  actionId: string;
  status: string;
  problem?: { type: string; status: number; errors?: { pointer: string; detail: string }[] };
}
interface Answer {
  accepted: number;
  refused: number;
  results: Result[];
}
interface Refused {
  type: string;
  errors: { pointer: string; detail: string }[];
  refused?: { operation: number; problem: Result['problem'] }[];
}

const from = (walletId: string, more: object = {}) => ({ ...transferBody(walletId, other), ...more });
const sent = async (body: object) => await tenant.api.expect<Answer>(201, 'POST', path, body);
const refused = async (status: number, body: object) =>
  await tenant.api.expect<Refused>(status, 'POST', path, body);
const storedActions = async () =>
  await place.server.store.read.all<{ id: string }>('SELECT id FROM action ORDER BY id');

describe.each(selectCases(['sqlite', 'postgres'], (dialect) => dialect === 'sqlite'))(
  'a batch (%s)',
  (dialect) => {
    beforeAll(async () => {
      place = await install(dialect === 'sqlite' ? {} : { DATABASE_URL: await postgres.createDatabase() });
      tenant = await addTenant(place.url, place.administrator, 'acme');
      for (const name of ['alice', 'bob']) await addWallet(place, tenant, name);
    });
    afterAll(() => place?.close());

    test('a batch without operations or with more than a thousand is rejected', async () => {
      const { errors } = await refused(400, {
        operations: Array.from({ length: 1_001 }, () => from('alice')),
      });
      expect(errors).toMatchObject([{ pointer: '/operations' }]);
      await refused(400, { operations: [] });
      expect(await storedActions()).toEqual([]);
    });

    test('a batch of two hundred operations from two wallets is accepted in one transaction and all of them succeed', async () => {
      const commits = place.server.store.ended();
      const operations = Array.from({ length: 200 }, (_, at) => from(at % 2 === 0 ? 'alice' : 'bob'));
      const { accepted, refused: none, results } = await sent({ operations });
      expect([accepted, none, new Set(results.map(({ actionId }) => actionId)).size]).toEqual([200, 0, 200]);
      expect(place.server.store.ended()).toBeGreaterThan(commits);
      const stored = await place.server.store.read.all<{ times: number }>(
        'SELECT count(DISTINCT created_at) AS times FROM action',
      );
      expect(stored).toHaveLength(1);
      const ends = await Promise.all(results.map(({ actionId }) => ended(tenant.api, actionId)));
      expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    }, 300_000);

    test('the operations of a batch are executed in the order of their dependencies, regardless of their order in the batch', async () => {
      const [before] = (await sent({ operations: [from('alice')] })).results;
      const operations = [
        from('alice', { name: 'last', dependencies: ['middle', 'first'] }),
        from('bob', { name: 'middle', dependencies: ['first', before?.actionId] }),
        from('alice', { name: 'first' }),
      ];
      const { results } = await sent({ operations });
      expect(results.map(({ name }) => name)).toEqual(['last', 'middle', 'first']);
      const ends = await Promise.all(
        results.map(async ({ actionId }) => {
          await ended(tenant.api, actionId);
          const one = `/v1/ledger-ops/search/actions/${actionId}`;
          return await tenant.api.expect<{ status: string; dependencies: string[]; updatedAt: string }>(
            200,
            'GET',
            one,
          );
        }),
      );
      expect(ends.map(({ status }) => status)).toEqual(['SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED']);
      const idOf = (name: string) => results.find((one) => one.name === name)?.actionId;
      expect(ends[0]?.dependencies).toEqual([idOf('middle'), idOf('first')]);
      expect(ends[1]?.dependencies).toEqual([idOf('first'), before?.actionId]);
      const [last, middle, first] = ends.map(({ updatedAt }) => Date.parse(updatedAt));
      expect(first).toBeLessThanOrEqual(Number(middle));
      expect(middle).toBeLessThanOrEqual(Number(last));
    }, 180_000);

    test('a batch refuses an invalid operation and its dependents with pointers to the faults, and accepts the others', async () => {
      const operations = [
        from('alice', { name: 'good' }),
        from('nobody', { name: 'stranger' }),
        from('alice', { name: 'behind', dependencies: ['stranger'] }),
        from('alice', { name: 'further', dependencies: ['behind', 'good'] }),
        from('alice', { glo: { version: '0.1.0', type: 'transfer', options: {} } }),
        from('alice', { dependencies: ['unheard-of'] }),
        from('alice', { walletPassword: 'not the password at all' }),
      ];
      const { accepted, refused: count, results } = await sent({ operations });
      expect([accepted, count]).toEqual([1, 6]);
      expect(results.map(({ status, problem }) => [status, problem?.type.split(':').at(-1)])).toEqual([
        ['PENDING', undefined],
        ['REFUSED', 'not-found'],
        ['REFUSED', 'unknown-dependency'],
        ['REFUSED', 'unknown-dependency'],
        ['REFUSED', 'invalid-request'],
        ['REFUSED', 'unknown-dependency'],
        ['REFUSED', 'wrong-wallet-password'],
      ]);
      expect(results.slice(0, 6).map(({ problem }) => problem?.errors?.[0]?.pointer)).toEqual([
        undefined,
        '/operations/1/walletId',
        '/operations/2/dependencies',
        '/operations/3/dependencies',
        expect.stringMatching(/^\/operations\/4\/glo\/options\//),
        '/operations/5/dependencies/0',
      ]);
      expect(results[2]?.problem?.errors?.[0]?.detail).toContain('stranger');
    }, 180_000);

    describe('a batch that calls a contract deployed by another of its operations', () => {
      beforeAll(() => addTokenTemplate(tenant.api, 'coin'));
      const service = (resource: string) => ({
        lookup_service: { type: 'service', value: 'service' },
        resource,
      });
      const deployment = (name: string, more: object = {}) => {
        const options = { contract_source: service('coin:1'), args: ['Token', 'TKN', '100'] };
        return from('alice', { name, glo: { version: '0.1.0', type: 'contract_deploy', options }, ...more });
      };
      const callOf = (deploying: string, more: object = {}, args = [other, '42']) => {
        const options = { contract_instance: service(`action:${deploying}`), method_name: 'transfer', args };
        return from('alice', { glo: { version: '0.1.0', type: 'contract_call', options }, ...more });
      };

      test('a batch can call a contract that another of its operations deploys, in any order, and then shows the contract’s id', async () => {
        const operations = [
          callOf('coin', { name: 'pay' }),
          deployment('coin'),
          from('bob', { dependencies: ['pay'] }),
        ];
        const { results } = await sent({ operations });
        const [call, deployed] = await Promise.all(
          results.map(({ actionId }) => ended(tenant.api, actionId)),
        );
        expect([call?.status, deployed?.status]).toEqual(['SUCCEEDED', 'SUCCEEDED']);
        const [one] = await place.server.store.read.all<{ operation: string; locator: string }>(
          'SELECT operation, locator FROM action WHERE id = $1',
          [results[0]?.actionId ?? ''],
        );
        expect(one?.operation).toContain(`"action:${results[1]?.actionId}"`);
        expect(call?.dependencies).toEqual([results[1]?.actionId]);
        const transaction = await place.anvil.rpc<{ to: string }>('eth_getTransactionByHash', [one?.locator]);
        expect(transaction.to.toLowerCase()).toBe(String(deployed?.contractAddress).toLowerCase());
      }, 180_000);

      test('a batch rejects a call to a contract that it deploys if deployment, arguments or dependencies are invalid', async () => {
        const operations = [
          deployment('good'),
          deployment('bad', { walletPassword: 'not the password at all' }),
          callOf('bad'),
          deployment('behind', { dependencies: ['bad'] }),
          callOf('behind', { name: 'after' }),
          callOf('good', {}, [other]),
          callOf('plain'),
          from('alice', { name: 'plain' }),
          callOf('unheard-of'),
        ];
        const { results } = await sent({ operations });
        expect(
          results.map(({ problem }) => problem && [problem.type.split(':').at(-1), problem.errors?.[0]]),
        ).toEqual([
          undefined,
          ['wrong-wallet-password', undefined],
          ['unknown-dependency', { pointer: contract(2), detail: 'depends on bad, which was rejected' }],
          ['unknown-dependency', expect.objectContaining({ pointer: '/operations/3/dependencies' })],
          ['unknown-dependency', { pointer: contract(4), detail: 'depends on behind, which was rejected' }],
          [
            'invalid-request',
            expect.objectContaining({ pointer: expect.stringMatching(/5.glo.options.args/) }),
          ],
          [
            'invalid-request',
            { pointer: contract(6), detail: 'the action plain does not deploy a contract' },
          ],
          undefined,
          ['not-found', expect.objectContaining({ pointer: contract(8) })],
        ]);
        const circle = [deployment('coin', { dependencies: ['pay'] }), callOf('coin', { name: 'pay' })];
        expect((await refused(400, { operations: circle })).errors[0]?.detail).toMatch(
          /which in turn depends on this operation$/,
        );
      }, 180_000);

      const contract = (at: number) => `/operations/${at}/glo/options/contract_instance/resource`;
    });

    test('a batch with allOrNothing stores nothing if one operation is rejected, and the problem names the rejected operation', async () => {
      const before = await storedActions();
      const operations = [from('alice'), from('bob', { dependencies: ['nothing'] }), from('bob')];
      const problem = await refused(422, { allOrNothing: true, operations });
      expect(problem.type).toBe('urn:ledger-ops:problem:batch-refused');
      expect(problem.errors.map(({ pointer }) => pointer)).toEqual(['/operations/1/dependencies/0']);
      expect(problem.refused?.map(({ operation }) => operation)).toEqual([1]);
      expect(await storedActions()).toEqual(before);
      const { accepted } = await sent({ allOrNothing: true, operations: [from('alice'), from('bob')] });
      expect(accepted).toBe(2);
    }, 180_000);

    test('a batch with circular dependencies or duplicate names is rejected', async () => {
      const circle = [
        from('alice', { name: 'a', dependencies: ['c'] }),
        from('alice', { name: 'b', dependencies: ['a'] }),
        from('alice', { name: 'c', dependencies: ['b'] }),
      ];
      const names = [from('alice', { name: 'same' }), from('bob', { name: 'same' })];
      const id = [from('alice', { name: '019a9f00-7d3e-7c41-a3f5-2f6f0e6f1c11' })];
      const self = [from('alice', { name: 'a', dependencies: ['a'] })];
      const before = await storedActions();
      const details: string[] = [];
      for (const operations of [circle, names, id, self, []]) {
        const [issue] = (await refused(400, { operations })).errors;
        details.push(`${issue?.pointer} ${issue?.detail}`);
      }
      expect(details).toEqual([
        expect.stringMatching(
          /^\/operations\/\d\/dependencies depends on [abc], which in turn depends on this operation$/,
        ),
        '/operations/1/name is already the name of operation 0',
        '/operations/0/name must not look like an action id',
        '/operations/0/dependencies depends on a, which in turn depends on this operation',
        '/operations must have at least 1 items',
      ]);
      expect(await storedActions()).toEqual(before);
    });

    test('ten concurrent batches with one Idempotency-Key are accepted once and get the same response', async () => {
      const before = await storedActions();
      const body = { operations: [from('alice', { name: 'one' }), from('bob'), from('nobody')] };
      const headers = { 'Idempotency-Key': crypto.randomUUID() };
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => tenant.api.call<Answer>('POST', path, body, headers)),
      );
      const again = await tenant.api.call<Answer>('POST', path, body, headers);
      const taken = [...answers, again].filter(({ status }) => status === 201);
      expect(taken.length).toBeGreaterThan(1);
      for (const { body: one } of taken) expect(one).toEqual(again.body);
      expect(again.body).toMatchObject({ accepted: 2, refused: 1 });
      expect((await storedActions()).length).toBe(before.length + 2);
    }, 180_000);
  },
);
