import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientFiles } from '../../scripts/client-files.ts';
import { buildDocument } from '../../src/openapi/openapi.ts';
import { defaultSettings, makeServer, openGround } from '../stage/harness.ts';

test('the client has the types of the document as it is', async () => {
  const ground = await openGround();
  const { routes } = makeServer(ground);
  await ground.close();
  for (const [name, text] of await clientFiles(await buildDocument(routes, defaultSettings))) {
    const kept = readFileSync(new URL(`../../../../packages/client/src/${name}`, import.meta.url), 'utf8');
    expect(kept === text, `${name}: run \`pnpm --filter @ledger-ops/server generate\``).toBe(true);
  }
});
