// A client that others' tools make of the served document: types by openapi-typescript, requests by openapi-fetch.
import { execFile } from 'node:child_process';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openFolder } from '../../../../testing/children.ts';
import { addTenant, type Installation, install, type Tenant } from '../stage/api.ts';

const run = promisify(execFile);
const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../../..');

let installation: Installation;
let tenant: Tenant;
let folder: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  [installation, folder] = await Promise.all([install(), openFolder()]);
  tenant = await addTenant(installation.url, installation.administrator, 'typed');
  const served = await fetch(`${installation.url}/openapi.json`);
  const types = astToString(await openapiTS(await served.text()));
  // As deep below the root as the folder that is copied, which names the root's configuration.
  const at = join(folder.path, 'apps/server/test/people/typed-client');
  await cp(join(here, 'typed-client'), at, { recursive: true });
  await cp(join(root, 'tsconfig.base.json'), join(folder.path, 'tsconfig.base.json'));
  await symlink(join(here, '../../node_modules'), join(folder.path, 'apps/server/node_modules'));
  await symlink(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  await writeFile(join(folder.path, 'package.json'), '{"type":"module"}');
  await writeFile(join(at, 'schema.d.ts'), types);
});
afterAll(async () => {
  await installation?.close();
  await folder?.remove();
});

const inside = (file: string) => join(folder.path, 'apps/server/test/people/typed-client', file);

test('types made of the document compile under every strict option, and refuse what the server refuses', async () => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', inside('tsconfig.json')]).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
});

test('with them a program gets a token, makes wallets, sends, and sees the end', async () => {
  const { stdout } = await run(process.execPath, [inside('program.ts')], {
    env: {
      BASE_URL: installation.url,
      NODE_URL: installation.anvil.url,
      APPLICATION_TOKEN: tenant.applicationToken,
      CLIENT_ID: tenant.appId,
      SERVICE_ACCOUNT: tenant.accountId,
      CLIENT_SECRET: tenant.apiToken,
    },
  });
  expect(JSON.parse(stdout)).toMatchObject({
    status: 'SUCCEEDED',
    locator: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    intent: null,
  });
});
