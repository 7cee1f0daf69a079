// Measures the auth work of every request, in microseconds, on SQLite: `pnpm bench`.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMasterKey, Secret } from '@ledger-ops/base';
import { openStore, uuidv7 } from '@ledger-ops/store';
import { bootstrap, createAuth, systemUid } from '../src/index.ts';

const folder = await mkdtemp(join(tmpdir(), 'auth-bench-'));
const store = await openStore({ file: join(folder, 'bench.db') });
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

  await measure('authenticate, remembered', 50_000, () => auth.authenticate(applicationToken, bearer));
  await measure('decide, remembered', 50_000, (i) =>
    auth.decide(principal, ['wallet:transact'], wallets[i % wallets.length] ?? systemUid),
  );
  await measure('first authenticate and decide after a change to access', 500, async () => {
    await store.transaction((tx) => tx.run("update counter set value = value + 1 where name = 'access'"));
    await auth.authenticate(applicationToken, bearer);
    await auth.decide(principal, ['wallet:transact'], wallets[0] ?? systemUid);
  });
  await measure('issueToken', 1_000, () => auth.issueToken(form));
} finally {
  await store.close();
  await rm(folder, { recursive: true, force: true });
}

async function measure(name: string, times: number, work: (i: number) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < times / 10; i += 1) await work(i);
  const start = performance.now();
  for (let i = 0; i < times; i += 1) await work(i);
  const each = ((performance.now() - start) * 1_000) / times;
  console.log(`${each.toFixed(1).padStart(8)} µs  ${name}`);
}
