import { expect, test } from 'vitest';
import { surfaceOf } from '../../../surface.shared.ts';

test('the public entry points export exactly the names in surface.txt', async () => {
  await expect(await surfaceOf(import.meta.url)).toMatchFileSnapshot('surface.txt');
});
