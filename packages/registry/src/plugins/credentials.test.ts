import { createMasterKey, SealError } from '@ledger-ops/base';
import { describeStores } from '@ledger-ops/store/testing';
import { expect, it } from 'vitest';
import { createWorld, failure } from '../../test/world.ts';
import { checkCredentials, openCredentials } from './credentials.ts';
import { createPluginUrls } from './plugin-url.ts';
import { createPlugins } from './plugins.ts';

const masterKey = createMasterKey(new Uint8Array(32).fill(7));
const bearerToken = 'token-that-nobody-may-see';

it.each([
  [{}, 'https://a.example', '/credentials'],
  [{ bearerToken }, 'npm:one', '/credentials'],
  [{ bearerToken: 'two words' }, 'https://a.example', '/credentials/bearerToken'],
  [{ clientCertificate: 'x' }, 'https://a.example', '/credentials'],
  [{ clientCertificate: 'x', clientKey: 'y' }, 'http://a.example', '/credentials'],
  [{ clientCertificate: 'x', clientKey: 'y' }, 'https://a.example', '/credentials/clientCertificate'],
  [{ bearerToken, certificateAuthority: 'x' }, 'https://a.example', '/credentials/certificateAuthority'],
])('rejects the credential %j at %s, and names the member', (credentials, url, pointer) => {
  expect(() => checkCredentials(credentials, url)).toThrow(
    expect.objectContaining({ errors: [expect.objectContaining({ pointer })] }),
  );
});

describeStores('credentials of plugins', (open) => {
  it('plugin credentials are encrypted for one address, never returned, and required again if the address changes', async () => {
    const world = await createWorld(await open());
    const plugins = createPlugins({
      store: world.store,
      auth: world.auth,
      now: Date.now,
      masterKey,
      urls: createPluginUrls({ modules: [], folders: [], hosts: ['a.example', 'b.example'] }),
      interfaceVersion: '0.1.3',
    });
    const me = await world.callerIn(world.project);
    const url = 'https://a.example/plugin';
    const made = await plugins.create(me, { name: 'Far', url, credentials: { bearerToken } });
    expect(made.hasCredentials).toBe(true);
    expect(JSON.stringify([made, await plugins.get(me, made.id)])).not.toContain(bearerToken);
    const record = async () => {
      const found = (await plugins.all()).find(({ pluginId }) => pluginId === made.id);
      if (found === undefined) throw new Error('The plugin is not recorded.');
      return found;
    };
    const held = await record();
    expect(openCredentials(masterKey, held)).toEqual({ bearerToken });
    expect(() => openCredentials(masterKey, { ...held, url: 'https://b.example' })).toThrow(SealError);
    expect(Buffer.from(held.credentials ?? []).toString('latin1')).not.toContain(bearerToken);

    const change = { name: 'Far', active: true, url: 'https://b.example' };
    expect(await failure(plugins.update(me, made.id, change))).toMatchObject({
      problem: 'invalid-request',
      errors: [{ pointer: '/credentials' }],
    });
    expect(await plugins.update(me, made.id, { ...change, url })).toMatchObject({ hasCredentials: true });
    expect(openCredentials(masterKey, await record())).toEqual({ bearerToken });
    await plugins.update(me, made.id, { ...change, credentials: { bearerToken: 'another' } });
    expect(openCredentials(masterKey, await record())).toEqual({ bearerToken: 'another' });
    const without = await plugins.update(me, made.id, { ...change, credentials: null });
    expect(without.hasCredentials).toBe(false);
  });
});
