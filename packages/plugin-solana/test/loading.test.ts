import { test } from 'vitest';
import { expectShortLoading } from '../../../testing/expect-short-loading.ts';

test('opening the first sessions of a process does not block the event loop', async () => {
  await expectShortLoading(new URL('open-session.ts', import.meta.url));
});
