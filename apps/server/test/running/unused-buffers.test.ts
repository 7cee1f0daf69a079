import { afterEach, expect, test, vi } from 'vitest';
import { collectUnusedBuffers } from '../../src/unused-buffers.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test.each([
  { megabytes: 7, collections: 0 },
  { megabytes: 8, collections: 1 },
])('upkeep collects garbage $collections times if unused buffers take $megabytes MB', async (given) => {
  const { megabytes, collections } = given;
  const gc = vi.fn(async () => undefined);
  vi.stubGlobal('gc', gc);
  const usage = { ...process.memoryUsage(), arrayBuffers: megabytes * 1_048_576 };
  vi.spyOn(process, 'memoryUsage').mockReturnValue(usage);
  await collectUnusedBuffers();
  expect(gc).toHaveBeenCalledTimes(collections);
});
