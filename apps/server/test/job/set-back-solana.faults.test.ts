// A database is restored to an earlier state, with one server on SQLite and with two on PostgreSQL. Payments and deployments
// that Solana has executed since are not executed again when clients repeat their requests.
import { noPostgresPrograms, RecoverablePostgres } from '@ledger-ops/store/testing';
import { afterEach, expect, test } from 'vitest';
import { type Action, createProduct, type Product } from './product.ts';
import { decide, readSuspensions } from './set-back-run.ts';
import { dumpSnapshots, loseHeartbeat, type Snapshots, sqliteSnapshots } from './snapshots.ts';
import {
  freshAddress,
  least,
  memoProgram,
  nonceAccount,
  openSolanaJob,
  type SolanaJob,
  transferGlo,
  walletPassword,
} from './solana-ledger.ts';

let postgres: RecoverablePostgres | undefined;
let job: SolanaJob | undefined;
let other: Product | undefined;
let snapshots: Snapshots | undefined;

afterEach(async () => {
  await other?.stop();
  await job?.stop();
  await snapshots?.remove();
  await postgres?.stop();
  [other, job, snapshots, postgres] = [undefined, undefined, undefined, undefined];
});

/** A request that its client sends again with its key. */
interface Request {
  readonly key: string;
  readonly walletId: string;
  readonly glo: object;
  /** Key of the request whose action it depends on. */
  readonly after?: string;
}

/** The servers of one installation. Clients use any of them. */
class Clients {
  readonly #servers: readonly Product[];
  readonly actions = new Map<string, string>();

  constructor(servers: readonly Product[]) {
    this.#servers = servers;
  }

  async send({ key, walletId, glo, after }: Request): Promise<void> {
    const server = this.#servers[this.actions.size % this.#servers.length];
    const before = after === undefined ? undefined : this.actions.get(after);
    const dependencies = before === undefined ? {} : { dependencies: [before] };
    const body = { walletId, walletPassword, glo, ...dependencies };
    const sent = await server?.call('POST', '/v1/ledger-ops/send', body, { 'Idempotency-Key': key });
    expect(sent).toMatchObject({ status: 201 });
    this.actions.set(key, String(sent?.body.actionId));
  }
}

test.for(['SQLite', 'PostgreSQL'] as const)(
  'nothing is executed twice after a database on %s was restored to an earlier state',
  { timeout: 600_000 },
  async (dialect, { skip }) => {
    if (dialect === 'PostgreSQL') skip(noPostgresPrograms !== undefined, noPostgresPrograms);
    const running = dialect === 'PostgreSQL' ? await RecoverablePostgres.start() : undefined;
    postgres = running;
    const options = running === undefined ? {} : { databaseUrl: () => running.url };
    job = await openSolanaJob(options);
    const { product, ledger } = job;
    other = running === undefined ? undefined : createProduct({ ...options, beside: product });
    await other?.start();
    const servers = other === undefined ? [product] : [product, other];
    snapshots = running === undefined ? sqliteSnapshots(product.folder) : dumpSnapshots(running);

    const [plain, withNonce, deployer] = [await job.wallet(), await job.wallet(), await job.wallet()];
    const first = new Clients(servers);
    const nonces = ['one', 'two'].map((seed) => nonceAccount(withNonce.address, seed));
    for (const [index, { glo }] of nonces.entries()) {
      await first.send({ key: `nonce-${index}`, walletId: withNonce.walletId, glo });
      await product.ended([...first.actions.values()]);
    }
    const source = await programOf(job);
    const targets = Array.from({ length: 6 }, freshAddress);
    const pay = (
      key: string,
      { walletId }: { walletId: string },
      nonce?: string,
      after?: string,
    ): Request => {
      const target = targets[requests.length] ?? '';
      const glo = transferGlo(target, least + requests.length, nonce);
      return { key, walletId, glo, ...(after === undefined ? {} : { after }) };
    };
    const requests: Request[] = [];
    requests.push(pay('pay-1', plain));
    requests.push(pay('pay-2', plain, undefined, 'pay-1'));
    requests.push(pay('durable-1', withNonce, nonces[0]?.account));
    requests.push(pay('durable-2', withNonce, nonces[0]?.account, 'durable-1'));
    requests.push(pay('durable-3', withNonce, nonces[1]?.account));
    requests.push(pay('pay-3', plain, undefined, 'durable-2'));
    requests.push({ key: 'deploy', walletId: deployer.walletId, glo: deployGlo(source) });

    // Before the snapshot, some requests are accepted and some of these are signed. Others are accepted after it.
    await ledger.rpc('devnet_pause');
    const before = new Clients(servers);
    for (const request of requests.slice(0, 4)) await before.send(request);
    await snapshots.take();
    for (const request of requests.slice(4)) await before.send(request);
    await ledger.rpc('devnet_resume');
    const ended = await product.ended([...before.actions.values()]);
    expect(ended.map(({ status, problem }) => [status, problem])).toEqual(
      requests.map(() => ['SUCCEEDED', undefined]),
    );
    const executed = await Promise.all(
      [plain, withNonce, deployer].map(({ address }) => job?.signaturesOf(address)),
    );

    for (const server of servers) await server.kill();
    await snapshots.restore();
    for (const { folder } of servers) loseHeartbeat(folder);
    // A restored dump is another database. A server uses it read-only until a person has decided.
    if (running !== undefined) await product.adopt('moved');
    for (const server of servers) await server.start();
    const again = new Clients(servers);
    for (const request of requests) await again.send(request);

    const ends = await settleAll(product, [...again.actions.values()]);
    // A deployment cannot be marked, so it is canceled.
    expect(ends.map(({ status }) => status)).toEqual(
      requests.map(({ key }) => (key === 'deploy' ? 'FAILED' : 'SUCCEEDED')),
    );
    for (const [index, target] of targets.entries()) expect(await job.balanceOf(target)).toBe(least + index);
    const now = await Promise.all(
      [plain, withNonce, deployer].map(({ address }) => job?.signaturesOf(address)),
    );
    expect(now).toEqual(executed);
  },
);

/** Decides about unknown transactions until all actions have completed. */
async function settleAll(product: Product, ids: readonly string[]): Promise<Action[]> {
  await expect
    .poll(
      async () => {
        await decide(product);
        const actions = await product.actions(ids);
        return actions.filter(({ status }) => status === 'PENDING').map(({ actionId }) => actionId);
      },
      { timeout: 180_000, interval: 500 },
    )
    .toEqual([]);
  // The transactions of a canceled deployment stay unknown until its wallet is resumed.
  await decide(product);
  expect(await readSuspensions(product)).toEqual([]);
  return await product.actions(ids);
}

/** Returns the locator of a template with the code of the memo program. */
async function programOf({ created, dataOf }: SolanaJob): Promise<string> {
  const path = '/v1/smart-contracts/templates';
  await created(path, { contractTemplateID: 'program', name: 'Program' });
  const code = (await dataOf(memoProgram)).toString('base64');
  await created(`${path}/program/specifications`, {
    ...{ tag: '1', ledgerTechnology: { ledgerTechnologyID: 'solana' } },
    compilationSpecification: { code, interface: '{"instructions": []}' },
  });
  return 'program:1';
}

function deployGlo(resource: string): object {
  const contract_source = { lookup_service: { type: 'service', value: 'service' }, resource };
  return { version: '0.1.0', type: 'contract_deploy', options: { contract_source, args: [] } };
}
