import { existsSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';

const earlier = `${process.env.RUN_FOLDER}/earlier-run`;
const isFirstRun = !existsSync(earlier);
afterAll(() => writeFileSync(earlier, ''));

test('passes only in a later run', () => expect(isFirstRun).toBe(false));
