import { expect, test } from 'vitest';
import { surfaceOf } from '../../../surface.shared.ts';

test('the public entry points export these names', async () => {
  await expect(await surfaceOf(import.meta.url)).toMatchFileSnapshot('surface.txt');
});
