import { test } from 'vitest';
import { expectShortLoading } from '../../../testing/expect-short-loading.ts';
import { memberOf } from './certificate-of.ts';

test('opening the first sessions of a process does not block the event loop', async () => {
  const { certificate, privateKey } = await memberOf('client');
  await expectShortLoading(new URL('open-session.ts', import.meta.url), {
    OBSERVER_CERTIFICATE: certificate,
    OBSERVER_PRIVATE_KEY: privateKey,
  });
});
