// A child process for tests. Usage: `node child.ts <mode> <options as JSON>`.
import { type OpenStoreOptions, openStore, StoreError } from '../src/index.ts';
import { startPostgresCluster } from '../src/testing/postgres-cluster.ts';

const [mode = '', json = '{}'] = process.argv.slice(2);

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function untilInputEnds(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.on('close', resolve).resume();
  });
}

if (mode === 'cluster') {
  const cluster = await startPostgresCluster();
  say(await cluster.createDatabase());
  await untilInputEnds();
  await cluster.stop();
} else {
  const options: OpenStoreOptions = JSON.parse(json);
  try {
    const store = await openStore(options);
    if (mode === 'write') {
      const insert = 'insert into counter (name, value) values ($1, 1)';
      await store.transaction((tx) => tx.run(insert, ['committed']));
      await store.transaction(async (tx) => {
        await tx.run(insert, ['uncommitted']);
        say('inside');
        await untilInputEnds();
      });
    } else {
      say('opened');
      await untilInputEnds();
    }
    await store.close();
  } catch (error) {
    say(error instanceof StoreError ? error.code : String(error));
  }
}
