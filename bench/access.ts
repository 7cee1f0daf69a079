// Measures the cost of a cached permission check and its share of the processor time of sending an operation.
// Needs a build (npm run build).
//   node --conditions=@ledger-ops/source bench/access.ts [transfers]
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, createAuth, systemUid } from '@ledger-ops/auth';
import { createMasterKey, Secret } from '@ledger-ops/base';
import { openStore, uuidv7 } from '@ledger-ops/store';
import { startProduct } from './transfers/product.ts';
import { runServer } from './transfers/server.ts';

/** Maximum cost of a cached permission check in microseconds. */
const limit = 20;
const transfers = Number(process.argv[2] ?? 5_000);

const access = await costsOfAccess();
const send = await costOfSend();
const share = (part: number) => `${((100 * part) / send).toFixed(1)} % of a send`;
console.log(`permission check, cached       ${access.check.toFixed(1)} µs, ${share(access.check)}`);
console.log(
  `authentication, cached         ${access.authentication.toFixed(1)} µs, ${share(access.authentication)}`,
);
console.log(`send, from request to end      ${send.toFixed(0)} µs server CPU time`);
const ratios = {
  checkOfSend: round(access.check / send),
  accessOfSend: round((access.check + access.authentication) / send),
  checkOfLimit: round(access.check / limit),
};
console.log(`BENCH_ACCESS ${JSON.stringify(ratios)}`);
if (access.check > limit) {
  console.error(`A cached permission check must cost at most ${limit} µs.`);
  process.exitCode = 1;
}

/**
 * Average cost in microseconds of a permission check and of an authentication, in a project with a thousand wallets. Each
 * call also checks whether permissions have changed.
 */
async function costsOfAccess(): Promise<{ check: number; authentication: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'ledger-ops-access-'));
  const store = await openStore({ file: join(folder, 'access.sqlite') });
  try {
    const config = { baseUrl: 'https://ledger.example' };
    const auth = await createAuth({ store, masterKey: createMasterKey(randomBytes(32)), config });
    const { administrator } = await bootstrap({ store, config });
    if (administrator === null) throw new Error('The database was not empty.');
    const { accountId, appId, applicationToken, apiToken } = administrator;
    const form = new Map([
      ['grant_type', 'client_credentials'],
      ['client_id', appId],
      ['service_account', accountId],
      ['client_secret', apiToken.reveal()],
    ]);
    const bearer = new Secret((await auth.issueToken(form)).access_token);
    const principal = await auth.authenticate(applicationToken, bearer);
    const wallets = Array.from({ length: 1_000 }, () => uuidv7());
    await store.transaction(async (tx) => {
      for (const uid of wallets) {
        const parentUid = principal.projectUid;
        await auth.registerResource(tx, { uid, resourceId: uid, type: 'cloud-wallet', parentUid });
      }
    });
    const check = await processorTime(100_000, async (nth) => {
      const { result } = await auth.decide(
        principal,
        ['wallet:transact'],
        wallets[nth % wallets.length] ?? systemUid,
      );
      if (!result) throw new Error('The permission check failed.');
    });
    const authentication = await processorTime(100_000, async () => {
      await auth.authenticate(applicationToken, bearer);
    });
    return { check, authentication };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Average processor time of one call in microseconds, after a warm-up. */
async function processorTime(times: number, work: (nth: number) => Promise<void>): Promise<number> {
  for (let nth = 0; nth < times / 10; nth += 1) await work(nth);
  const before = process.cpuUsage();
  for (let nth = 0; nth < times; nth += 1) await work(nth);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

/**
 * Average cost of a send in microseconds, from the difference between a longer and a shorter run: both include the cost
 * of wallets and of the warm-up.
 */
async function costOfSend(): Promise<number> {
  const product = await startProduct();
  try {
    const costOf = async (count: number) => {
      const before = product.processorTime();
      await runServer(product, { transfers: count, wallets: 10, connections: 64 });
      return product.processorTime() - before;
    };
    const shorter = await costOf(transfers / 5);
    return (1_000_000 * ((await costOf(transfers)) - shorter)) / (transfers - transfers / 5);
  } finally {
    await product.stop();
  }
}

function round(value: number): number {
  return Number(value.toFixed(3));
}
