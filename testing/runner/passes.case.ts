import { expect, test } from 'vitest';

test('passes', () => expect(1 + 1).toBe(2));
test.skipIf(true)('needs a program that is not installed', () => undefined);
